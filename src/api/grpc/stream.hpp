#pragma once
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <mutex>
#include <optional>

#include "api/grpc/backend.hpp"
#include "api/grpc/status.hpp"
#include "api/grpc/values.hpp"

namespace semel::rpc {

/// One stream in both directions: reads a message at a time, writes a message at a time, and comes to an end once. All
/// that is asked of gRPC is asked by pump(), which runs on one thread at a time and never under the lock: gRPC may call
/// back on the same thread before it returns.
///
/// It comes to its end only when the engine has answered all that it was asked, so that whoever waits for the end of
/// all streams also knows that nobody will call them any more.
template <typename In, typename Out>
class Stream : public grpc::ServerBidiReactor<In, Out>,
               public Drainable,
               public std::enable_shared_from_this<Stream<In, Out>> {
 public:
  Stream(Backend& backend, const Method& method, domain::Principal principal)
      : backend_(backend), method_(method), principal_(std::move(principal)) {}

  /// Once, before gRPC has it.
  void begin() {
    self_ = this->shared_from_this();
    backend_.add(self_);
    pump();
  }
  void begin_refused(const Error& error) {
    self_ = this->shared_from_this();
    refuse(error);
    pump();
  }

  void drain() final {
    {
      const std::lock_guard lock(mutex_);
      draining_ = true;
    }
    no_more();
    const std::lock_guard lock(mutex_);
    pump_later();
  }

  void OnReadDone(bool ok) final {
    if (ok) receive();
    bool is_last = false;
    {
      const std::lock_guard lock(mutex_);
      reading_ = false;
      closed_ = closed_ || !ok;
      is_last = closed_ || end_;
    }
    if (is_last) no_more();
    pump();
  }
  void OnWriteDone(bool ok) final {
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      broken_ = broken_ || !ok;
    }
    written(ok);
    if (!ok) no_more();
    pump();
  }
  void OnCancel() final {
    {
      const std::lock_guard lock(mutex_);
      broken_ = true;
    }
    no_more();
    pump();
  }
  void OnDone() final {
    backend_.remove(this);
    backend_.over(method_, static_cast<codec::GrpcStatus>(status_.error_code()), begun_);
    self_.reset();
  }

 protected:
  /// A message has come. Without the lock.
  virtual void received(const In& message) = 0;
  /// Takes what is to be written next off what waits, for write(). Under the lock; false: nothing is.
  virtual bool take_next() = 0;
  /// Writes what was taken. Without the lock.
  virtual void write(Out& message) = 0;
  /// Whether the message has gone. Without the lock.
  virtual void written(bool ok) = 0;
  /// Whether so little is under way that more may be read. Under the lock.
  virtual bool may_read() const = 0;
  /// Whether everything that came has been answered. Under the lock.
  virtual bool is_idle() const = 0;
  /// Whether a drained stream may be ended from here. Under the lock.
  virtual bool may_end() const = 0;
  /// Nothing more comes, or can be sent, or shall be begun. Without the lock; perhaps more than once.
  virtual void no_more() {}

  /// Ends the stream when what is under way has been answered. Under the lock; the first counts.
  void end_with(grpc::Status status) {
    if (!end_) end_ = std::move(status);
  }
  /// Whether the other side is not there any more to be sent anything. Under the lock.
  bool is_gone() const { return broken_ || finished_; }
  bool takes_no_more() const { return is_gone() || closed_ || draining_ || end_; }

  /// From the engine's callbacks: sending takes too long for their threads. Under the lock, and the last that a
  /// callback does: when it lets go of the lock, all may be over.
  void pump_later() {
    if (std::exchange(scheduled_, true)) return;
    backend_.executors.answers.run([self = this->shared_from_this()] {
      {
        const std::lock_guard lock(self->mutex_);
        self->scheduled_ = false;
      }
      self->wake();
      self->pump();
    });
  }
  /// Before a pump that the engine has caused. Without the lock.
  virtual void wake() {}

  Backend& backend_;
  const Method& method_;
  const domain::Principal principal_;
  mutable std::mutex mutex_;  // guards all flags, and what the stream itself puts under it
  bool draining_ = false;

 private:
  enum class Act : std::uint8_t { nothing, read, write, finish };

  void receive() {
    if (Result<void> known = check_known(incoming_); !known) return refuse(known.error());
    try {
      received(incoming_);
    } catch (const StoreFault&) {
      refuse({ErrorCode::unavailable, "the store cannot answer now; try again"});
    }
  }
  void refuse(const Error& error) {
    const std::lock_guard lock(mutex_);
    end_with(status_of(error));
  }

  Act next() {
    if (finished_) return Act::nothing;
    if (!writing_ && !broken_ && take_next()) {
      writing_ = true;
      return Act::write;
    }
    if (!writing_ && is_idle()) {
      if (broken_) return finish_with(grpc::Status::CANCELLED);
      if (end_) return finish_with(*end_);
      if (closed_) return finish_with(grpc::Status::OK);
      if (draining_ && may_end()) return finish_with(status_of(Error{ErrorCode::unavailable, "the server stops"}));
    }
    if (reading_ || takes_no_more_to_read() || !may_read()) return Act::nothing;
    reading_ = true;
    return Act::read;
  }
  bool takes_no_more_to_read() const { return broken_ || closed_ || end_; }
  Act finish_with(grpc::Status status) {
    finished_ = true;
    status_ = std::move(status);
    return Act::finish;
  }

  void pump() {
    const auto self = this->shared_from_this();  // finishing may let go of it on another thread
    while (true) {
      Act act = Act::nothing;
      {
        const std::lock_guard lock(mutex_);
        if (pumping_) return;  // whoever pumps will look again
        act = next();
        if (act == Act::nothing) return;
        pumping_ = true;
      }
      perform(act);
      const std::lock_guard lock(mutex_);
      pumping_ = false;
    }
  }
  void perform(Act act) {
    if (act == Act::read) {
      this->StartRead(&incoming_);
    } else if (act == Act::write) {
      outgoing_.Clear();
      write(outgoing_);
      this->StartWrite(&outgoing_);
    } else {
      this->Finish(status_);
    }
  }

  std::shared_ptr<Stream> self_;
  const Backend::Steady::time_point begun_ = Backend::Steady::now();
  In incoming_;   // while one is being read
  Out outgoing_;  // while one is being written
  grpc::Status status_;
  std::optional<grpc::Status> end_;
  bool pumping_ = false;
  bool scheduled_ = false;
  bool reading_ = false;
  bool writing_ = false;
  bool closed_ = false;    // the other side has said all
  bool broken_ = false;    // or has gone
  bool finished_ = false;  // we have
};

/// A stream of that kind for whoever calls, or one that only says why not.
template <typename Kind>
Kind* open_stream(Backend& backend, const Method& method, const grpc::CallbackServerContext& context) {
  Result<domain::Principal> principal = backend.admit(context);
  const auto stream = std::make_shared<Kind>(backend, method, principal.value_or(domain::Principal{}));
  if (principal) stream->begin();
  else stream->begin_refused(principal.error());
  return stream.get();
}

}  // namespace semel::rpc
