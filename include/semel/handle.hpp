#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "semel/settled.hpp"
#include "semel/time.hpp"

namespace semel {

namespace sdk {
class ClientCore;
}

namespace detail {

/// What is alike for tasks, workflows and promises.
class HandleBase {
 public:
  const std::string& id() const { return id_; }
  /// Whether this very request has made it; false of what is looked up, and of duplicates.
  bool is_new() const { return is_new_; }

  /// How it is now.
  Status status() const;
  /// Stops it at once if nobody works on it. Otherwise its worker is asked, and it ends as that likes; with `force` it
  /// ends at once.
  Status cancel(bool force = false) const;

 protected:
  HandleBase(std::shared_ptr<sdk::ClientCore> core, std::string id, bool is_new)
      : core_(std::move(core)), id_(std::move(id)), is_new_(is_new) {}

  Closing await() const;
  std::optional<Closing> await_for(Duration time) const;
  std::optional<std::string> custom_status_text() const;
  void send_signal(std::string_view name, std::string value, std::string_view key) const;

 private:
  std::shared_ptr<sdk::ClientCore> core_;
  std::string id_;
  bool is_new_;
};

}  // namespace detail

/// Stands for a task or a promise, and for what comes of it. From any thread.
template <typename T = Json>
class TaskHandle : public detail::HandleBase {
 public:
  TaskHandle(std::shared_ptr<sdk::ClientCore> core, std::string id, bool is_new)
      : HandleBase(std::move(core), std::move(id), is_new) {}

  /// Waits for the end. Throws ExecutionFailed when there is no result.
  T result() const { return detail::unwrap<T>(await()); }
  /// The same, with a failure as a value.
  Settled<T> settled() const { return Settled<T>::from(await()); }
  /// Nothing when it is still open after that time.
  std::optional<Settled<T>> settled_within(Duration time) const {
    const std::optional<detail::Closing> closing = await_for(time);
    if (!closing) return std::nullopt;
    return Settled<T>::from(*closing);
  }
};

/// Stands for a workflow.
template <typename T = Json>
class WorkflowHandle : public TaskHandle<T> {
 public:
  using TaskHandle<T>::TaskHandle;

  /// Signals wait until the workflow asks for them. With a key, sending the same again changes nothing.
  template <typename Value>
  void signal(std::string_view name, const Value& value, std::string_view key = {}) const {
    this->send_signal(name, detail::encode(value), key);
  }

  /// What its code has said last with `ctx.set_status`; nothing when it has said nothing. It stays when the workflow
  /// has closed.
  template <typename Said = Json>
  std::optional<Said> custom_status() const {
    return detail::read_if<Said>(this->custom_status_text());
  }
};

}  // namespace semel
