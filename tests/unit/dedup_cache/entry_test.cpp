#include "store/dedup_cache/entry.hpp"

#include <gtest/gtest.h>

#include "tests/support/builders.hpp"

namespace semel::store {
namespace {

using test::hash_of;

const DedupCache::Identity order{"acme", hash_of("order-1")};

/// What a store says of a completed task.
Held completed_holder() {
  test::Ids ids;
  domain::Execution execution;
  const Submit submit = test::submission(ids).key("order-1").context(R"({"a":1})");
  execution.spec = submit.spec;
  execution.spec.named_task = domain::NamedTask{{}, "shop", "charge", "1.0.0", 2};
  execution.spec.named_task->uuid.bytes[3] = 7;
  execution.spec.fingerprint = hash_of("fingerprint");
  execution.spec.created_by = "key-1";
  execution.spec.window = test::ttl(1h);
  execution.state = domain::State::completed;
  execution.created_at = test::ManualClock::start;
  execution.closed_at = test::ManualClock::start + 5s;
  execution.result = R"({"receipt":17})";
  return {domain::holder_of(execution), execution, false};
}

CacheEntry entry_for(const Held& held, Time until = test::ManualClock::start + 10s) {
  CacheEntry entry = entry_of(order, held);
  entry.until = until;
  return entry;
}

class Entries : public testing::Test {
 protected:
  const EntryCodec codec_{std::string(32, 's')};
};

TEST_F(Entries, AreReadAsTheyWereWritten) {
  const Held held = completed_holder();
  const CacheEntry written = entry_for(held);

  const auto read = codec_.decode(order, codec_.encode(written));

  ASSERT_TRUE(read);
  EXPECT_EQ(read->until, written.until);
  const domain::Holder& holder = read->held.holder;
  EXPECT_EQ(holder.id, held.holder.id);
  EXPECT_EQ(holder.kind, held.holder.kind);
  EXPECT_EQ(holder.named_task, held.holder.named_task);
  EXPECT_EQ(holder.handler, held.holder.handler);
  EXPECT_EQ(holder.state, domain::State::completed);
  EXPECT_EQ(holder.created_at, held.holder.created_at);
  EXPECT_EQ(holder.closed_at, held.holder.closed_at);
  EXPECT_EQ(holder.window, held.holder.window);
  EXPECT_EQ(holder.fingerprint, held.holder.fingerprint);
  EXPECT_EQ(holder.created_by, "key-1");
  EXPECT_FALSE(holder.tombstone);
  EXPECT_FALSE(holder.released_at);
  EXPECT_EQ(read->held.execution->task_id(), "order-1");
  EXPECT_EQ(read->held.execution->spec.context, R"({"a":1})");
  EXPECT_EQ(read->held.execution->result, R"({"receipt":17})");
  EXPECT_EQ(read->held.execution->closed_at, held.holder.closed_at);
  EXPECT_EQ(codec_.encode(*read), codec_.encode(written));
}

TEST_F(Entries, KeepWhatIsAbsentAbsent) {
  Held held = completed_holder();
  held.holder.named_task.reset();
  held.holder.fingerprint.reset();
  held.execution->spec.key.reset();
  held.execution->result.reset();

  const auto read = codec_.decode(order, codec_.encode(entry_for(held)));

  ASSERT_TRUE(read);
  EXPECT_FALSE(read->held.holder.named_task);
  EXPECT_FALSE(read->held.holder.fingerprint);
  EXPECT_FALSE(read->held.execution->result);
  EXPECT_EQ(read->held.execution->task_id(), held.holder.id.text());
}

TEST_F(Entries, AreNothingWhenASingleBitIsAnother) {
  const std::string bytes = codec_.encode(entry_for(completed_holder()));

  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string forged = bytes;
    forged[i] = static_cast<char>(forged[i] ^ 1);
    EXPECT_FALSE(codec_.decode(order, forged)) << i;
  }
}

TEST_F(Entries, AreNothingWhenTheyAreShorterOrLonger) {
  const std::string bytes = codec_.encode(entry_for(completed_holder()));

  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(codec_.decode(order, bytes.substr(0, size)));
  EXPECT_FALSE(codec_.decode(order, bytes + '\0'));
  EXPECT_FALSE(codec_.decode(order, "released"));
}

TEST_F(Entries, OfAnotherStoreTenantOrIdentityAreNothing) {
  const std::string bytes = codec_.encode(entry_for(completed_holder()));

  EXPECT_FALSE(EntryCodec(std::string(32, 't')).decode(order, bytes));
  EXPECT_FALSE(codec_.decode({"globex", order.hash}, bytes));
  EXPECT_FALSE(codec_.decode({"acme", hash_of("order-2")}, bytes));
  EXPECT_NE(EntryCodec(std::string(32, 't')).key_of(order.hash), codec_.key_of(order.hash));
}

TEST_F(Entries, AreMadeOfCompletedHoldersOnlyThatAreThere) {
  const auto refused = [](const auto& change) {
    Held held = completed_holder();
    change(held);
    return !is_kept(held, 1'000);
  };

  EXPECT_FALSE(refused([](Held&) {}));
  for (const auto state : {domain::State::pending, domain::State::running, domain::State::suspended,
                           domain::State::failed, domain::State::cancelled, domain::State::timed_out}) {
    EXPECT_TRUE(refused([&](Held& held) { held.holder.state = state; }));
  }
  EXPECT_TRUE(refused([](Held& held) { held.holder.released_at = test::ManualClock::start; }));
  EXPECT_TRUE(refused([](Held& held) { held.holder.tombstone = true; }));
  EXPECT_TRUE(refused([](Held& held) { held.execution.reset(); }));
  EXPECT_TRUE(refused([](Held& held) { held.by_id = true; }));
  EXPECT_TRUE(refused([](Held& held) { held.execution->result = std::string(1'000, 'x'); }));
}

}  // namespace
}  // namespace semel::store
