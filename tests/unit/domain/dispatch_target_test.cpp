#include "domain/dispatch_target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace semel::domain {
namespace {

using testing::HasSubstr;

std::string target_refusal(std::string_view text) {
  const Result<DispatchTarget> target = parse_dispatch_target(text);
  return target ? "" : target.error().message;
}

TEST(DispatchTarget, IsAnEndpoint) {
  EXPECT_EQ(parse_dispatch_target("https://api.example/tasks?by=semel"),
            DispatchTarget(HttpTarget{{"api.example", 443, true, "/tasks?by=semel"}}));
}

TEST(DispatchTarget, IsAQueueOfCloudTasks) {
  EXPECT_EQ(parse_dispatch_target("cloudtasks://projects/p/locations/europe-west1/queues/mail"),
            DispatchTarget(CloudTasksTarget{"projects/p/locations/europe-west1/queues/mail", {}}));
  EXPECT_EQ(parse_dispatch_target("cloudtasks://projects/example.com:p/locations/l/queues/q?url=https%3A%2F%2Fa%2Fb"),
            DispatchTarget(CloudTasksTarget{"projects/example.com:p/locations/l/queues/q", "https://a/b"}));
}

TEST(DispatchTarget, ThatIsNoneIsRefused) {
  EXPECT_THAT(target_refusal("amqp://a"), HasSubstr("must begin with http://, https:// or cloudtasks://"));
  EXPECT_THAT(target_refusal("http://"), HasSubstr("is not a url such as"));
  EXPECT_THAT(target_refusal("https://a/" + std::string(limits::target_bytes_max, 'x')), HasSubstr("at most 2000"));
  for (const char* text :
       {"cloudtasks://", "cloudtasks://projects/p", "cloudtasks://projects/p/locations/l/queues/q/",
        "cloudtasks://projects/p/locations/l/queues/q/tasks/t", "cloudtasks://projects//locations/l/queues/q",
        "cloudtasks://projects/p/queues/q/locations/l", "cloudtasks://projects/p/locations/l/queues/a.b",
        "cloudtasks://projects/p/locations/l/queues/q%2F..", "cloudtasks://projects/p/locations/../queues/q"})
    EXPECT_THAT(target_refusal(text), HasSubstr("is not a target such as cloudtasks://")) << text;
  EXPECT_THAT(target_refusal("cloudtasks://projects/p/locations/l/queues/q?x=1"), HasSubstr("stands url="));
  EXPECT_THAT(target_refusal("cloudtasks://projects/p/locations/l/queues/q?url=http%3"), HasSubstr("not escaped well"));
  EXPECT_THAT(target_refusal("cloudtasks://projects/p/locations/l/queues/q?url=ftp%3A%2F%2Fa"),
              HasSubstr("is not a url"));
}

TEST(DispatchTarget, OfGoogleTakesOnlyItsNamesOfTasks) {
  EXPECT_TRUE(is_cloud_task_id("d_cxtoltqhbncw6nevn7hy53kqn6"));
  EXPECT_TRUE(is_cloud_task_id("AZaz09_-"));
  EXPECT_TRUE(is_cloud_task_id(std::string(500, 'a')));
  EXPECT_FALSE(is_cloud_task_id(std::string(501, 'a')));
  for (const char* id : {"", "a.b", "a:b", "a/b", "a b", "\xc3\xa4"}) EXPECT_FALSE(is_cloud_task_id(id)) << id;
}

}  // namespace
}  // namespace semel::domain
