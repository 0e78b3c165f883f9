#pragma once
#include <gmock/gmock.h>

#include "server/store_copy.hpp"
#include "store/memory/memory_store.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "tests/contract/everything.hpp"
#include "tests/contract/random_commands.hpp"
#include "tests/support/database.hpp"
#include "tests/support/postgres_database.hpp"
#include "tests/support/steps.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {

using store::dump::Comparison;

/// A store on a file, and a database that it is copied into.
class StoreCopy : public testing::Test {
 protected:
  std::string file() { return folder_ / "source.db"; }

  store::SqliteStore& source(std::size_t identity_generation = 0) {
    return source_.emplace(file(), clock_,
                           store::SqliteOptions{.readers = 1, .identity_generation = identity_generation});
  }
  Outcome apply(const Command& command) { return source_->apply({&command, 1}).outcomes.at(0); }
  Submit task() { return submission(ids_); }

  /// With the source closed, as it must be.
  Result<Comparison> copy() {
    source_.reset();
    return server::copy_store(file(), database_.target(), {});
  }
  std::string refusal_of_copy() {
    const Result<Comparison> copied = copy();
    return copied ? "it was copied" : copied.error().message;
  }
  Result<Comparison> verify() { return server::compare_stores(file(), database_.target(), {}); }

  std::unique_ptr<store::PostgresStore> open_copy() {
    store::PostgresOptions options;
    options.clock = &clock_;
    return std::make_unique<store::PostgresStore>(database_.target(), options);
  }
  std::int64_t count(const std::string& what) {
    return std::stoll(database_.open()->execute("SELECT count(*) FROM " + what).text(0, "count"));
  }

  /// A run whose first step has nothing to do, and whose second one waits for its like in the run before.
  Submit run() {
    const std::vector<domain::Step> steps{StepBuilder("mail").for_each("", "/users"),
                                          StepBuilder("pay").key("payment-7")};
    return submission(ids_).context(R"({"users":[]})").with([&](Submit& each) {
      each.spec.kind = domain::Kind::workflow;
      each.plan = domain::plan_of_run(steps);
    });
  }

  /// A code workflow with a timer, and a signal that it was given once.
  void fill_workflow() {
    const Submit submit =
        submission(ids_).handler("workflow:order").with([](Submit& each) { each.spec.kind = domain::Kind::workflow; });
    apply(submit);
    Claim claim = claim_of(ids_, 1);
    claim.handlers = {"workflow:order"};
    apply(claim);
    EndActivation end{std::string(default_tenant), submit.spec.id, claim.attempt_ids[0], {}};
    end.answer.seen = 1;
    end.answer.status = "1";
    end.answer.commands = {{1, domain::code::StartTimer{std::nullopt, 1h}}};
    apply(end);
    apply(SignalWorkflow{std::string(default_tenant), submit.spec.id, {"paid", "1"}, "k"});
  }

  void fill_dispatch() {
    domain::QueueOptions options;
    options.target = "http://target";
    options.heartbeat_timeout = 1min;
    apply(PutQueue{std::string(default_tenant), "push", options, "admin"});
    apply(submission(ids_).queue("push").build());
    Claim claim = claim_of(ids_, 1);
    claim.queues = {"push"};
    claim.push = 1min;
    claim.worker = domain::push_worker;
    apply(claim);
  }

  /// A row in every table.
  void fill() {
    source();
    const auto by_key = [&](const char* key) { return submission(ids_).key(key).build(); };
    const Submit first = by_key("first");
    apply(first);
    apply(Claim(claim_of(ids_, 1)));
    apply(RecordDuplicates{{{std::string(default_tenant), first.spec.id, 2, {{clock_.now(), "k", "409 CONFLICT"}}}}});
    apply(run());
    apply(run());
    fill_workflow();
    const Submit gone = by_key("gone");
    apply(gone);
    apply(Cancel{std::string(default_tenant), gone.spec.id});
    apply(Remove{std::string(default_tenant), gone.spec.id});
    apply(PutTemplate{std::string(default_tenant), "shop", "charge", "1.0.0", "{}"});
    apply(PutQueue{std::string(default_tenant), "q1", {.max_running = 3}, "admin"});
    apply(PutSchedule{
        std::string(default_tenant), "s1", {ids_.execution().uuid}, {"{}", clock_.now(), clock_.now() + 1h}});
    domain::ApiKey key;
    key.id = "key-1";
    key.tenant = default_tenant;
    key.secret_hash = hash_of("secret");
    apply(CreateKey{key, 1h});
    fill_dispatch();
    apply(KeepSecret{"callbacks", hash_of("secret")});
  }

  TempDir folder_;
  PostgresDatabase database_;
  ManualClock clock_;
  Ids ids_;
  std::optional<store::SqliteStore> source_;
};

}  // namespace semel::test
