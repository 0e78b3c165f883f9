#pragma once
#include <grpcpp/support/client_callback.h>

#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "connected/under_way.hpp"

namespace semel::connected {

/// One stream in both directions, from this side: reads a message at a time, writes a message at a time, and comes to
/// an end once; whoever wants to go on opens another. What is asked of gRPC is never asked under the lock: it may call
/// back on the same thread before it returns.
template <typename Out, typename In>
class ClientStream : public grpc::ClientBidiReactor<Out, In>,
                     public std::enable_shared_from_this<ClientStream<Out, In>> {
 public:
  explicit ClientStream(UnderWay& under_way) : under_way_(under_way) {}

  /// Once: `call` is the stub's method. What was said before waits for it.
  template <typename Call>
  void begin(const Call& call) {
    self_ = this->shared_from_this();
    call(&context_, this);
    under_way_.add(std::shared_ptr<grpc::ClientContext>(self_, &context_));
    this->AddHold();  // until nothing will be written any more
    this->StartRead(&incoming_);
    this->StartCall();
    {
      const std::lock_guard lock(mutex_);
      begun_ = true;
    }
    write_more();
  }
  /// No more is said from here. What waits is still written; what the other side says is read until it ends.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closes_ = true;
    }
    write_more();
  }
  void call_off() { context_.TryCancel(); }
  /// Whether something that is said now may be heard.
  bool is_open() const {
    const std::lock_guard lock(mutex_);
    return takes_more();
  }

  grpc::ClientContext& context() { return context_; }

  void OnReadDone(bool ok) final {
    if (ok) {
      received(incoming_);
      this->StartRead(&incoming_);
      return;
    }
    bool lets_go = false;
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      lets_go = !writing_;
    }
    if (lets_go) this->RemoveHold();
  }
  void OnWriteDone(bool ok) final { has_written(ok); }
  void OnWritesDoneDone(bool ok) final { has_written(ok); }
  void OnDone(const grpc::Status& status) final {
    ended(status);
    under_way_.remove(std::shared_ptr<grpc::ClientContext>(std::exchange(self_, nullptr), &context_));
  }

 protected:
  /// A message has come. Without the lock; one at a time.
  virtual void received(const In& message) = 0;
  /// Nothing more comes, and nothing that was not answered will be. Without the lock, once, and the last.
  virtual void ended(const grpc::Status& status) = 0;

  bool takes_more() const { return !over_ && !closes_; }
  /// After something was put into waiting_. Without the lock.
  void write_more() {
    bool is_last = false;
    {
      const std::lock_guard lock(mutex_);
      if (!begun_ || writing_ || over_ || closed_) return;
      is_last = closes_ && waiting_.empty();
      if (waiting_.empty() && !is_last) return;
      writing_ = true;
      closed_ = is_last;
      if (!is_last) {
        outgoing_.Swap(&waiting_.front());
        waiting_.pop_front();
      }
    }
    if (is_last) this->StartWritesDone();
    else this->StartWrite(&outgoing_);
  }

  mutable std::mutex mutex_;  // guards what follows, and what the stream itself puts under it
  std::deque<Out> waiting_;   // to be written

 private:
  void has_written(bool ok) {
    bool lets_go = false;
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      lets_go = over_;
    }
    if (lets_go) this->RemoveHold();
    else if (ok) write_more();
  }

  UnderWay& under_way_;
  std::shared_ptr<ClientStream> self_;
  grpc::ClientContext context_;
  In incoming_;   // while one is being read
  Out outgoing_;  // while one is being written
  // Under the lock.
  bool begun_ = false;
  bool writing_ = false;
  bool closes_ = false;  // shall be closed,
  bool closed_ = false;  // is
  bool over_ = false;    // nothing more comes
};

}  // namespace semel::connected
