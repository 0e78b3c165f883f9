#include "tests/integration/store_copy_fixture.hpp"
#include "tests/support/sanitized.hpp"

namespace semel::test {
namespace {

/// Random commands, first on a file, then on its copy: a memory store that was never copied says what must come of
/// them.
class CopyModel : public StoreCopy {
 protected:
  void run(std::uint32_t seed) {
    SCOPED_TRACE(seed);
    clock_.set(ManualClock::start);
    model_clock_.set(ManualClock::start);
    store::MemoryStore model(model_clock_);
    std::filesystem::remove(file());
    RandomCommands random(seed);
    source(seed % 2 == 0 ? 3 : 0);
    for (int i = 0; i < 60; ++i) apply_to_both(*source_, model, random);
    const std::string audited = audit_of(*source_, random);

    const Result<Comparison> copied = copy();

    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(copied->are_same());
    const auto target = open_copy();
    EXPECT_EQ(everything(*target, random, Details::of_everyone), everything(model, random, Details::of_everyone));
    EXPECT_EQ(lists(*target, random), lists(model, random));
    EXPECT_EQ(audit_of(*target, random), audited);
    for (int i = 0; i < 20 && !HasFailure(); ++i) apply_to_both(*target, model, random);
    EXPECT_EQ(everything(*target, random, Details::of_everyone), everything(model, random, Details::of_everyone));
  }

 private:
  void apply_to_both(Store& tested, Store& model, RandomCommands& random) {
    const Duration step = random.step();
    clock_.advance(step);
    model_clock_.advance(step);
    const std::vector<Command> batch = random.batch();
    const Applied expected = model.apply(batch);
    const Applied actual = tested.apply(batch);
    EXPECT_EQ(describe_all(actual.outcomes), describe_all(expected.outcomes));
    for (const Outcome& outcome : expected.outcomes) random.learn(outcome);
    random.learn(expected.changes);
  }

  static std::string lists(Store& store, const RandomCommands& random) {
    std::string text;
    for (const std::string& tenant : random.tenants()) {
      ListQuery query{tenant};
      do {
        const Result<Page> page = store.list(query);
        for (const domain::Execution& each : page->executions) text += each.spec.id.text() + "\n";
        query.cursor = page->next;
      } while (query.cursor);
    }
    return text;
  }

  static std::string audit_of(Store& store, const RandomCommands& random) {
    std::string text;
    for (const std::string& tenant : random.tenants()) {
      for (const AuditEntry& each : store.audit(tenant, std::nullopt, 1000))
        text += fmt::format("{} {} {} {} {}\n", each.seq, to_ms(each.at), each.actor, each.action, each.subject);
    }
    return text;
  }

  ManualClock model_clock_;
};

TEST_F(CopyModel, GoesOnAsTheOriginalWould) {
  for (std::uint32_t seed = 1; seed <= (is_sanitized ? 8u : 25u) && !HasFailure(); ++seed) {
    run(seed);
    database_.open()->execute("DROP SCHEMA semel CASCADE");
  }
}

}  // namespace
}  // namespace semel::test
