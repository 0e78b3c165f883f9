#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "engine/answers.hpp"

/// What a submission came to, before it is known on which wire it goes: every interface says the same.
namespace semel::codec {

/// A refusal with all that is told of it.
struct Refusal {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::vector<Violation> violations{};
  std::optional<std::vector<std::string>> pointers{};  // where a payload differs; may be unknown
  std::optional<domain::ExecutionId> existing{};
  std::optional<domain::State> status{};  // of the existing execution
  std::optional<Time> completed_at{};
  std::optional<Time> closed_at{};
  bool result_expired = false;
  std::optional<std::string> result{};  // JSON
  std::optional<std::string> error{};   // JSON
};

Refusal refusal_of(const Error& error);

/// A submission that was taken: it created a task, or is told of the one that exists.
struct Submitted {
  domain::ExecutionId id;
  std::string task_id;
  std::size_t step_count = 1;
  domain::State status = domain::State::pending;
  std::string_view message{};
  bool key_used = false;
  bool created = false;
  std::optional<domain::ExecutionId> previous{};
  std::optional<std::string> result{};  // JSON
  std::optional<std::string> error{};   // JSON
  std::optional<Time> closed_at{};
  bool result_expired = false;

  bool key_new() const { return created && key_used; }
};

tl::expected<Submitted, Refusal> settle(const engine::SubmitAnswer& answer);

}  // namespace semel::codec
