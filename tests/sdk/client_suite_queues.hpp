#pragma once
#include "domain/queue_option.hpp"
#include "tests/sdk/client_suite_fixture.hpp"

/// The part of the suite that is about settings of queues, and what workflows say of themselves. A stage tells what its
/// engine knows of a queue when all clients are gone: queue(name).
namespace semel::suite {

TYPED_TEST_P(ClientSuite, EachSettingOfAQueueArrives) {
  const std::vector<std::pair<QueueSettings, std::pair<std::string, std::string>>> settings{
      {QueueSettings().retention(72h), {"retention", "3d"}},
      {QueueSettings().rate_limit("100/sec"), {"rate_limit", "100/sec"}},
      {QueueSettings().max_running(3), {"max_running", "3"}},
      {QueueSettings().max_running_per_key(2), {"max_running_per_key", "2"}},
      {QueueSettings().paused(true), {"paused", "true"}},
      {QueueSettings().reuse(ReusePolicy::allow_duplicate), {"reuse", "allow_duplicate"}},
      {QueueSettings().dedup_window("forever"), {"dedup_window", "forever"}},
  };
  domain::QueueOptions all;
  {
    Client client = this->client();
    for (const auto& [setting, text] : settings) {
      client.configure_queue("mail", setting);      // piece by piece, and each leaves the others
      client.configure_queue(text.first, setting);  // alone
      ASSERT_TRUE(domain::set_queue_option(all, text.first, text.second)) << text.first;
    }
    client.configure_queue("mail", QueueSettings());
  }

  EXPECT_EQ(this->stage_.queue("mail"), all);
  for (const auto& [setting, text] : settings) {
    domain::QueueOptions alone;
    ASSERT_TRUE(domain::set_queue_option(alone, text.first, text.second));
    EXPECT_EQ(this->stage_.queue(text.first), alone) << text.first;
  }
}

TYPED_TEST_P(ClientSuite, SettingsOfAQueueThatCannotBeAreRefused) {
  Client client = this->client();

  EXPECT_EQ(refusal([&] { client.configure_queue("mail", QueueSettings().rate_limit("often")); }), "BAD_REQUEST");
  EXPECT_EQ(refusal([&] { client.configure_queue("mail", QueueSettings().max_running(-1)); }), "BAD_REQUEST");
  EXPECT_EQ(refusal([&] { client.configure_queue("no queue", QueueSettings().paused(true)); }), "BAD_REQUEST");
}

}  // namespace semel::suite
