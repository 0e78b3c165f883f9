#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/uuid7_source.hpp"
#include "sdk/backend.hpp"
#include "sdk/coalescer.hpp"
#include "semel/client.hpp"

namespace semel::sdk {

/// What a client takes from the world.
struct ClientWorld {
  std::function<Time()> now;
  /// Waits before the next try.
  std::function<void(Duration)> pause;
};

/// The machine's clock, and real waiting.
ClientWorld machine_world();

/// What the copies of a client share. Requests get their id and their time once, before the first try, so that trying
/// again makes nothing twice. From any thread.
class ClientCore {
 public:
  ClientCore(std::shared_ptr<Backend> backend, const ClientOptions& options, ClientWorld world = machine_world());

  Submitted submit(Submission submission);
  Submitted start_workflow(WorkflowStart start);
  Submitted create_promise(PromiseRequest request);
  /// Returns when it has closed; nothing when it is open after that time.
  std::optional<detail::Closing> await(const std::string& id, std::optional<Duration> time);
  Status status(const std::string& id);
  /// What the workflow says of itself, as JSON text.
  std::optional<std::string> custom_status(const Target& workflow);
  /// False: this very signal had come before.
  bool signal(SignalRequest request);
  bool settle_promise(const Settlement& settlement);
  Status cancel(const CancelRequest& request);
  void configure_queue(const std::string& name, const QueueSettings& settings);
  void put_schedule(const std::string& name, const std::string& document);
  void remove_schedule(const std::string& name);
  void pause_schedule(const std::string& name, bool paused);
  /// The id of its task.
  std::string run_schedule(const std::string& name, std::optional<Time> nominal);

  Backend& backend() { return *backend_; }
  /// Nobody else gets the same.
  std::string next_id();

 private:
  Reply<State> await_once(const std::string& id, Duration wait);
  /// Asks until there is an answer, or the client's patience is over.
  template <typename T>
  T insist(const std::function<Reply<T>()>& ask);

  const std::shared_ptr<Backend> backend_;
  const ClientOptions options_;
  const ClientWorld world_;
  Uuid7Source ids_;
  Coalescer<Submission, Reply<Submitted>> submits_;
};

}  // namespace semel::sdk
