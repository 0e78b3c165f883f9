#pragma once
#include <semel/v1/worker.grpc.pb.h>

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "connected/address.hpp"
#include "connected/answering.hpp"
#include "connected/client_stream.hpp"

namespace semel::connected {

/// WorkerService.Connect: brings the leases of one lane, and takes outcomes and heartbeats, also of leases that came
/// elsewhere. From any thread.
class WorkerStream final : public ClientStream<v1::WorkerMessage, v1::ServerMessage> {
 public:
  /// Who gets the leases. It is told one thing at a time, never under a lock of the stream.
  class Listener {
   public:
    virtual ~Listener() = default;

    virtual void leased(WorkerStream& from, std::vector<sdk::Lease> leases) = 0;
    virtual void took_back(WorkerStream& from, int slots) = 0;
    /// No more leases come from it; it still takes outcomes.
    virtual void drains(WorkerStream& from) = 0;
    virtual void ended(WorkerStream& from, const grpc::Status& status) = 0;
  };
  /// Something that is said, and who waits for the answer to it.
  struct Said {
    const sdk::Answer* answer = nullptr;
    std::shared_ptr<Answering> by{};
    std::size_t index = 0;
  };

  WorkerStream(UnderWay& under_way, const Address& address, std::weak_ptr<Listener> listener, v1::Hello hello);

  /// So many leases more can be taken.
  void give(int slots);
  /// So many fewer: it is told how many of them were still free.
  void take_back(int slots);
  /// Each is settled once: by its answer, by the end of the stream, or at once where no message could hold it.
  void say(std::span<const Said> all);

 private:
  struct Waiting {
    std::shared_ptr<Answering> by{};
    std::size_t index = 0;
  };
  using ByAttempt = std::unordered_map<std::string, Waiting>;

  void received(const v1::ServerMessage& message) override;
  void ended(const grpc::Status& status) override;
  void say_message(v1::WorkerMessage message, const std::vector<Said>& all);
  /// The message that is written next but one. Under the lock.
  v1::WorkerMessage& last_waiting();
  /// Who waits for that, and no longer.
  Waiting take(ByAttempt& from, const std::string& attempt_id);

  const Address& address_;
  const std::weak_ptr<Listener> listener_;
  // Under the lock.
  ByAttempt outcomes_;
  ByAttempt heartbeats_;
  std::optional<sdk::Refusal> end_;
};

}  // namespace semel::connected
