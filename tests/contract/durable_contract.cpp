#include <atomic>
#include <thread>

#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// What is stored is kept byte for byte and outlives a restart; time never goes back.
class DurableContract : public StoreContract {};
SEMEL_ON_ALL_STORES(DurableContract);

TEST_P(DurableContract, TextsAreKeptByteForByte) {
  const std::string big = "\"" + std::string((1 << 20) - 2, 'x') + "\"";
  const std::vector<std::string> texts{R"("\u0000")",
                                       R"({"a\u0000b":"\u0000"})",
                                       "1e999999999",
                                       "-0.00E-0",
                                       "9007199254740993",
                                       "null",
                                       "[]",
                                       "\"\"",
                                       " { \"b\" : 1 ,\n\t\"a\" : 2.0 } ",
                                       R"("\ud83d\ude00")",
                                       "\"\xF0\x9F\x98\x80 d\xC3\xA9j\xC3\xA0\"",
                                       R"("it's; DROP TABLE x --")",
                                       big};
  for (const std::string& text : texts) {
    const domain::ExecutionId completed = create(task().context(text)).id;
    complete(claim_one(), text);
    const domain::ExecutionId failed = create(task().context(text)).id;
    fail(claim_one(), text);

    for (int round = 0; round < 2; ++round) {
      EXPECT_TRUE(find(completed).value().spec.context == text) << text.substr(0, 40);
      EXPECT_TRUE(find(completed).value().result == text) << text.substr(0, 40);
      EXPECT_TRUE(find(failed).value().error == text) << text.substr(0, 40);
      EXPECT_TRUE(attempts(failed).at(0).error == text) << text.substr(0, 40);
      reopen();
    }
  }
}

TEST_P(DurableContract, AContextOfOneMebibyteReachesTheWorkerAndTheDuplicate) {
  const std::string big = "[" + std::string((1 << 20) - 3, ' ') + "1]";
  create(task().key("a").context(big));

  EXPECT_TRUE(expect_held(task().key("a")).execution->spec.context == big);
  EXPECT_TRUE(claim(1).at(0).execution.spec.context == big);
}

TEST_P(DurableContract, NoResultAndJsonNullAreTwoThings) {
  const domain::ExecutionId nothing = create(task()).id;
  complete(claim_one(), std::nullopt);
  const domain::ExecutionId null = create(task()).id;
  complete(claim_one(), "null");
  reopen();

  EXPECT_EQ(find(nothing).value().result, std::nullopt);
  EXPECT_EQ(find(null).value().result, "null");
}

TEST_P(DurableContract, NamesOfAllKindsAreKept) {
  const Submit submit = task().created_by("").with([](Submit& s) {
    s.spec.key = "\xF0\x9F\x98\x80 'quoted' \"twice\" 100%";
    s.spec.labels = {{"z", ""}, {"a", "d\xC3\xA9j\xC3\xA0"}, {"with=;,\"", "\\"}};
    s.spec.handler = std::string(100, 'h');
    s.spec.priority = -100;
    s.spec.head_start = 24h * 3650;
    s.spec.window = ttl(24h * 3650);
  });
  create(submit);
  reopen();

  EXPECT_EQ(describe(find(submit.spec.id).value().spec), describe(submit.spec));
  EXPECT_EQ(find(submit.spec.id).value().spec.labels, submit.spec.labels);
  EXPECT_EQ(find(submit.spec.id).value().spec.fingerprint, std::nullopt);
  EXPECT_EQ(find(submit.spec.id).value().spec.named_task, std::nullopt);
}

TEST_P(DurableContract, EveryStateOutlivesARestart) {
  std::vector<domain::ExecutionId> ids;
  for (const State state : reachable_states) {
    ids.push_back(create_in(state, task().key(name_of(state)).queue(default_queue)));
    if (state == State::pending) claim_one(1h);  // or the next ones would claim it
  }
  ids.push_back(create(task().delay(1h)).id);
  ids.push_back(create(task().key("ready")).id);
  cancel(ids[1]);
  const auto everything = [&] {
    std::string text = describe(store().next_timer());
    for (const domain::ExecutionId id : ids) text += "\n" + describe(find(id)) + "\n" + describe_all(attempts(id));
    for (const State state : reachable_states) text += describe(find_holder(hash_of(name_of(state)))) + "\n";
    return text;
  };
  const std::string before = everything();

  reopen();
  EXPECT_EQ(everything(), before);
  reopen();
  EXPECT_EQ(everything(), before);
}

TEST_P(DurableContract, IdentitiesAreHeldAfterARestartWhateverHousekeepingDid) {
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 50; ++i) create(task().key(fmt::format("{}-{}", round, i)));
    if (round % 2 == 1) {
      while (store().tidy_up()) {
      }
    }
    reopen();
    for (int earlier = 0; earlier <= round; ++earlier) {
      for (int i = 0; i < 50; ++i) expect_held(task().key(fmt::format("{}-{}", earlier, i)));
    }
  }
}

TEST_P(DurableContract, AnEmptyBatchChangesNothing) {
  const Applied applied = store().apply({});

  EXPECT_TRUE(applied.outcomes.empty());
  EXPECT_EQ(applied.now, now());
}

TEST_P(DurableContract, TheTimeOfABatchIsTheClocks) {
  advance(1234ms);
  const std::vector<Command> commands{task(), task()};

  const Applied applied = store().apply(commands);

  EXPECT_EQ(applied.now, now());
  EXPECT_EQ(store().now(), now());
  for (const Outcome& outcome : applied.outcomes) EXPECT_EQ(as<Created>(outcome).created_at, now());
  advance(1ms);
  EXPECT_EQ(store().now(), now());
}

TEST_P(DurableContract, TimeNeverGoesBack) {
  const Time latest = now() + 1h;
  clock().set(latest);
  create_in(State::completed, task().key("a").window(after_closing(10s)));
  clock().set(latest - 30min);

  EXPECT_EQ(store().now(), latest);
  EXPECT_EQ(create(task()).created_at, latest);
  expect_held(task().key("a"));
  clock().set(latest + 1ms);
  EXPECT_EQ(store().now(), latest + 1ms);
}

TEST_P(DurableContract, TimeGoesOnAtHalfSpeedWhileTheClockIsBehind) {
  const Time latest = now() + 1h;
  clock().set(latest);
  create(task().key("a"));
  clock().set(latest - 30min);
  EXPECT_EQ(store().now(), latest);

  advance(20s);

  EXPECT_EQ(store().now(), latest + 10s);
  EXPECT_EQ(create(task()).created_at, latest + 10s) << "what is due becomes due, and leases end";
}

TEST_P(DurableContract, TimeDoesNotGoBackOverARestart) {
  const Time latest = now() + 1h;
  clock().set(latest);
  create(task().key("a"));
  clock().set(latest - 30min);

  reopen();

  EXPECT_EQ(store().now(), latest);
  EXPECT_EQ(create(task()).created_at, latest);
}

TEST_P(DurableContract, AWindowThatHasPassedStaysPassedWhenTheClockIsSetBack) {
  create_in(State::completed, task().key("a").window(after_closing(10s)));
  advance(10s);
  create(task());
  clock().set(ManualClock::start);
  reopen();

  expect_created(task().key("a").reuse(Reuse::reject_duplicate));
}

TEST_P(DurableContract, ReadersOfOtherThreadsSeeWhatWasApplied) {
  std::vector<Submit> submissions;
  for (int i = 0; i < 200; ++i) submissions.push_back(task().key(std::to_string(i)));
  std::atomic<std::size_t> applied = 0;
  std::atomic<int> missing = 0;
  const auto read = [&] {
    for (std::size_t seen = 0; seen < submissions.size();) {
      seen = applied.load();
      if (seen == 0) continue;
      Submit newest = submissions[seen - 1];
      Submit* const asked = &newest;
      if (!store().find(default_tenant, newest.spec.id)) ++missing;
      if (!store().find_holder(default_tenant, newest.spec.identity.hash)) ++missing;
      if (!store().probe({&asked, 1}).at(0)) ++missing;
      store().next_timer();
      store().now();
    }
  };
  std::thread first(read);
  std::thread second(read);

  for (const Submit& submit : submissions) {
    create(submit);
    store().tidy_up();
    ++applied;
  }
  first.join();
  second.join();

  EXPECT_EQ(missing, 0);
}

}  // namespace
}  // namespace semel::test
