#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "domain/dispatch.hpp"

namespace semel {

/// A dispatch as it is stored. It stays as long as its attempt.
struct StoredDispatch {
  domain::Dispatch dispatch{};
  std::string queue{};
  std::string handler{};
  bool is_open = true;  // its attempt runs

  bool operator==(const StoredDispatch&) const = default;
};

/// Which dispatches of a tenant are asked for: at most one of the three, else all that are open.
struct DispatchQuery {
  std::string tenant{};
  std::optional<std::string> external_id{};
  std::optional<domain::ExecutionId> execution_id{};
  std::optional<domain::AttemptId> attempt_id{};
  std::optional<domain::AttemptId> before{};  // only of attempts whose id is lower
  std::size_t limit = 100;
};

/// How many dispatches of a queue are open, by what is known of them.
struct DispatchDepth {
  std::string tenant{};
  std::string queue{};
  std::int64_t unsent = 0;
  std::int64_t ambiguous = 0;
  std::int64_t sent = 0;

  bool operator==(const DispatchDepth&) const = default;
};

inline void count(DispatchDepth& depth, domain::DispatchState state, std::int64_t more) {
  switch (state) {
    case domain::DispatchState::unsent: depth.unsent += more; return;
    case domain::DispatchState::ambiguous: depth.ambiguous += more; return;
    case domain::DispatchState::sent: depth.sent += more; return;
  }
}

}  // namespace semel
