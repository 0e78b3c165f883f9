#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/http/app.hpp"
#include "engine/engine.hpp"
#include "ports/authenticator.hpp"
#include "store/memory/memory_store.hpp"
#include "tests/support/fake_targets.hpp"
#include "tests/support/manual_clock.hpp"

namespace semel::fuzz {

/// What things are called in inputs: `$pending` is the id of a task that waits.
using Names = std::map<std::string, std::string, std::less<>>;

/// Puts the values for `$name` into a text; names that nobody has given stay as they are.
std::string with_values(std::string_view text, const Names& names);

/// Lets everybody in: as the operator, or as who may do nothing ("Bearer nobody"), or as a tenant of its own
/// ("Bearer other").
class Everybody final : public Authenticator {
 public:
  Result<domain::Principal> authenticate(const Credentials& credentials) const override;
};

/// The API on a store in memory in which there is something of every kind, in every state. Time stands, and chance is
/// always the same, so that ids are, too.
class World {
 public:
  World();

  /// Every call is answered, and none waits.
  http::Response ask(http::Request request);
  /// Lets time go on, and does what is due then.
  void pass(Duration time);

  Names names;

 private:
  engine::EngineOptions options();
  void make_all();
  void make_late();
  void push_one();
  void run_code();
  /// Asks for what must succeed; keeps what stands at `pointer` of the answer under `name`.
  void make(std::string_view name, std::string_view pointer, std::string_view method, std::string_view target,
            std::string_view body);

  std::uint64_t chance_ = 0;
  test::ManualClock clock_;
  test::FakeTargets targets_;
  store::MemoryStore store_{clock_, {}};
  engine::Engine engine_{store_, options()};
  Everybody everybody_;
  http::App app_{engine_, everybody_};
};

}  // namespace semel::fuzz
