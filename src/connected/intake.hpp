#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "connected/holders.hpp"
#include "connected/worker_stream.hpp"

namespace semel::connected {

/// How one worker gets its leases: a stream for each of its lanes, which is given as many slots as the lane has room.
/// Slots that were given stay until a lease comes for them. What a worker can do is shared by its lanes; so where one
/// has room and all slots are with others, they are taken back from those that have more than their share. At no time
/// are there more than the worker has room for. From any thread; polls come one after the other.
class Intake final : public WorkerStream::Listener, public std::enable_shared_from_this<Intake> {
 public:
  /// Makes a stream without beginning it, and begins one.
  struct Streams {
    std::function<std::shared_ptr<WorkerStream>(std::weak_ptr<WorkerStream::Listener>, const v1::Hello&)> make;
    std::function<void(WorkerStream&)> begin;
    const Address& address;
  };

  Intake(Streams streams, Holders& holders) : streams_(std::move(streams)), holders_(holders) {}

  sdk::Reply<std::vector<sdk::Lease>> poll(const sdk::Poll& poll, std::stop_token stop);
  /// Takes nothing more, and gives what had been sent by then.
  std::vector<sdk::Lease> end();

 private:
  struct LaneState {
    sdk::Lane lane{};  // its room as the last poll said
    bool is_workflow = false;
    std::shared_ptr<WorkerStream> stream{};
    int given = 0;            // slots that a lease may come for
    bool asked_back = false;  // some of them, and it has not been said how many were free

    void lose_stream() {
      stream = nullptr;
      given = 0;
      asked_back = false;
    }
  };
  /// What is to be done when the lock is left.
  struct Act {
    std::shared_ptr<WorkerStream> stream{};
    bool begins = false;
    int give = 0;
    int take_back = 0;
  };

  void leased(WorkerStream& from, std::vector<sdk::Lease> leases) override;
  void took_back(WorkerStream& from, int slots) override;
  void drains(WorkerStream& from) override;
  void ended(WorkerStream& from, const grpc::Status& status) override;

  // Under the lock.
  LaneState* lane_of(const WorkerStream& stream);
  void note_rooms(const sdk::Poll& poll);
  std::vector<Act> plan(const sdk::Poll& poll);
  void plan_group(const sdk::Poll& poll, bool of_workflows, std::vector<Act>& acts);
  bool has_news() const { return !arrived_.empty() || refusal_ || replan_; }

  void perform(const std::vector<Act>& acts);

  const Streams streams_;
  Holders& holders_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::vector<LaneState> lanes_;
  std::vector<sdk::Lease> arrived_;
  std::optional<sdk::Refusal> refusal_;
  bool replan_ = false;  // slots have come free, or a stream is to be opened
  bool is_ending_ = false;
};

}  // namespace semel::connected
