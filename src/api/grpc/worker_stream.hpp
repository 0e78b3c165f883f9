#pragma once
#include <semel/v1/worker.pb.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "api/grpc/stream.hpp"

namespace semel::rpc {

/// WorkerService.Connect: one worker. Leases are claimed only for slots that it gave, one claim at a time: together
/// with outcomes where these come with slots, else by a poll that waits. Leases that cannot be sent any more are given
/// back.
class WorkerStream final : public Stream<v1::WorkerMessage, v1::ServerMessage> {
 public:
  using Stream::Stream;

 private:
  using Engine = engine::Engine;
  struct Answered {
    std::string attempt_id;  // as the worker wrote it
    Result<AttemptAnswer> answer;
  };
  /// What goes into one message.
  struct Parcel {
    std::vector<Lease> leases;
    std::vector<Answered> outcomes;
    std::vector<Answered> heartbeats;
    std::optional<std::size_t> slots_back;
    bool draining = false;
  };

  void received(const v1::WorkerMessage& message) override;
  bool take_next() override;
  void write(v1::ServerMessage& message) override;
  void written(bool ok) override;
  bool may_read() const override;
  bool is_idle() const override { return under_way_ == 0 && !claiming_; }
  bool may_end() const override { return leased_ == 0; }
  void no_more() override;
  void wake() override { claim(); }

  Result<void> read_head(const v1::WorkerMessage& message);
  void take_outcomes(const v1::WorkerMessage& message);
  void take_heartbeats(const v1::WorkerMessage& message);
  /// Slots are wanted back: those that a poll waits for are free when it is over.
  void take_back(std::size_t slots);
  /// Whether to ask for leases now. Under the lock.
  bool begins_claim();
  Engine::PollRequest request_for_slots() const;
  void claim();
  void claimed(Result<std::vector<Lease>> leases);
  void worked(const std::vector<std::string>& ids, Result<Engine::WorkAnswer> answer);
  void ended(const std::vector<std::string>& ids, std::vector<Result<AttemptAnswer>> answers);
  // Under the lock.
  void answer_back();
  void keep_claimed(Result<std::vector<Lease>> leases);
  void keep_ended(const std::vector<std::string>& ids, std::vector<Result<AttemptAnswer>> answers);
  std::vector<domain::AttemptId> take_unsent();
  void give_back(std::vector<domain::AttemptId> attempts);
  std::shared_ptr<WorkerStream> self() { return std::static_pointer_cast<WorkerStream>(shared_from_this()); }

  // All under the lock, but for what is said otherwise.
  std::optional<Engine::PollRequest> hello_;
  std::size_t slots_ = 0;                   // leases that may still be sent
  std::optional<std::size_t> wanted_back_;  // slots, when the claim under way is over
  std::size_t leased_ = 0;                  // sent, and not ended on this stream
  std::size_t under_way_ = 0;               // outcomes and heartbeats that the engine has
  bool claiming_ = false;
  std::uint64_t claims_ = 0;  // the number of the newest
  std::shared_ptr<Engine::Poll> poll_;
  std::deque<Lease> leases_;  // to be sent
  Parcel answers_;            // to be sent; without leases
  bool told_draining_ = false;
  Parcel current_;                             // being written; not under the lock
  std::vector<domain::AttemptId> delivering_;  // the leases in it
};

}  // namespace semel::rpc
