#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/sqlite/sqlite_store.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/describe.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {

/// How many identities are claimed before a merge begins: few, so that every test sees merges.
inline constexpr std::size_t small_generation = 8;
inline constexpr store::SqliteOptions small{.readers = 2, .identity_generation = small_generation};

/// What the action was refused with, or nothing.
inline std::string refusal_of(const auto& action) {
  try {
    action();
  } catch (const StoreFault& fault) {
    return fault.what();
  }
  return "";
}

/// A store on a file, which can be closed and opened again.
class StoreFile {
 public:
  explicit StoreFile(store::SqliteOptions options = small) : options_(options) { reopen(); }

  store::SqliteStore& operator*() { return *store_; }
  store::SqliteStore* operator->() { return &*store_; }
  std::filesystem::path file() const { return folder_ / "store.db"; }
  void close() { store_.reset(); }
  void reopen() {
    close();
    store_.emplace(file(), clock, options_);
  }

  /// A submission identified by a key.
  SubmitBuilder task(std::string_view key) { return submission(ids).key(key); }
  SubmitBuilder task(int number) { return task(fmt::format("key-{}", number)); }

  std::vector<Outcome> apply(const std::vector<Command>& commands) { return store_->apply(commands).outcomes; }
  Outcome apply(const Command& command) { return apply(std::vector{command}).at(0); }

  /// Whether the identity is held, by reader and writer alike; a duplicate changes nothing.
  bool is_held(const Submit& submit) {
    Submit copy = submit;
    Submit* const asked = &copy;
    const bool probed = store_->probe({&asked, 1}).at(0).has_value();
    EXPECT_EQ(store_->find_holder(default_tenant, submit.spec.identity.hash).has_value(), probed);
    return probed;
  }
  void expect_duplicate(const Submit& submit) {
    EXPECT_TRUE(is_held(submit)) << *submit.spec.key;
    const Outcome outcome = apply(submit);
    EXPECT_TRUE(std::holds_alternative<Held>(outcome)) << *submit.spec.key << ": " << describe(outcome);
  }

  ManualClock clock;
  Ids ids;

 private:
  const store::SqliteOptions options_;
  TempDir folder_;
  std::optional<store::SqliteStore> store_;
};

}  // namespace semel::test
