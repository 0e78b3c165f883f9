#include "bench/grpc_load.hpp"

#include <fmt/format.h>
#include <grpcpp/create_channel.h>
#include <semel/v1/task.grpc.pb.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>

namespace semel::bench {
namespace {

using Stub = v1::TaskService::Stub;

std::unique_ptr<Stub> connect(std::uint16_t port) {
  return v1::TaskService::NewStub(
      grpc::CreateChannel(fmt::format("127.0.0.1:{}", port), grpc::InsecureChannelCredentials()));
}

void fill(v1::SubmitTaskRequest& request, std::uint64_t number) {
  request.set_handler(std::string(handler_name));
  request.set_queue(std::string(queue_name));
  request.set_idempotency_key(key_of(number));
  request.set_context(context_of(number));
}

/// What callers have in common. Callable from any thread.
class Course {
 public:
  Course(const GrpcLoad& load, Tally& tally) : load(load), tally_(tally), callers_(load.in_flight) {}

  std::optional<std::uint64_t> next() {
    const std::lock_guard lock(mutex_);
    return load.next_number();
  }
  bool is_good(grpc::StatusCode code) const {
    return code == (load.expects_new ? grpc::StatusCode::OK : grpc::StatusCode::ALREADY_EXISTS);
  }
  void answered(std::size_t good, Steady::time_point sent) {
    const std::lock_guard lock(mutex_);
    tally_.tasks += good;
    tally_.refused += load.batch - good;
    tally_.latencies.add(Steady::now() - sent);
  }
  void caller_over() {
    const std::lock_guard lock(mutex_);
    if (--callers_ == 0) over_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    over_.wait(lock, [this] { return callers_ == 0; });
  }

  const GrpcLoad& load;

 private:
  Tally& tally_;
  std::mutex mutex_;  // guards what follows, and the tally
  std::condition_variable over_;
  std::size_t callers_;
};

/// One call after the other.
class UnaryCaller {
 public:
  UnaryCaller(Course& course, Stub& stub) : course_(course), stub_(stub) {}

  void go_on() {
    const std::optional<std::uint64_t> number = course_.next();
    if (!number) return course_.caller_over();
    context_.emplace();
    sent_ = Steady::now();
    const auto done = [this](const grpc::Status& status) { answered(status); };
    if (course_.load.batch == 1) {
      fill(one_, *number);
      stub_.async()->SubmitTask(&*context_, &one_, &one_answer_, done);
      return;
    }
    many_.Clear();
    for (std::size_t i = 0; i < course_.load.batch; ++i) fill(*many_.add_tasks(), *number + i);
    stub_.async()->SubmitTasks(&*context_, &many_, &many_answer_, done);
  }

 private:
  void answered(const grpc::Status& status) {
    std::size_t good = course_.is_good(status.error_code()) ? 1 : 0;
    if (course_.load.batch > 1) {
      good = 0;
      for (const v1::SubmitTaskResult& each : many_answer_.results()) good += each.task().created() ? 1 : 0;
    }
    course_.answered(good, sent_);
    go_on();
  }

  Course& course_;
  Stub& stub_;
  std::optional<grpc::ClientContext> context_;
  Steady::time_point sent_;
  v1::SubmitTaskRequest one_;
  v1::SubmitTaskResponse one_answer_;
  v1::SubmitTasksRequest many_;
  v1::SubmitTasksResponse many_answer_;
};

/// All callers on one stream: those that wait while a message is being written go together in the next.
class SharedStream final : public grpc::ClientBidiReactor<v1::SubmitTasksRequest, v1::SubmitTasksResponse> {
 public:
  SharedStream(Course& course, Stub& stub) : course_(course), waiting_(course.load.in_flight) {
    stub.async()->StreamTasks(&context_, this);
    StartRead(&incoming_);
    StartCall();
    write_more();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    answered();
    StartRead(&incoming_);
    write_more();
  }
  void OnWriteDone(bool ok) override {
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
    }
    if (ok) write_more();
  }
  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    over_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    over_.wait(lock, [this] { return status_.has_value(); });
    if (!status_->ok()) throw std::runtime_error("the server ended the stream: " + status_->error_message());
  }

 private:
  struct Message {
    std::size_t requests = 0;
    Steady::time_point sent;
  };

  void answered() {
    Message message;
    {
      const std::lock_guard lock(mutex_);
      const auto found = under_way_.find(incoming_.batch_id());
      message = found->second;
      under_way_.erase(found);
      waiting_ += message.requests;
    }
    int index = 0;
    for (std::size_t i = 0; i < message.requests; ++i) {
      std::size_t good = 0;
      for (std::size_t j = 0; j < course_.load.batch; ++j) good += incoming_.results(index++).task().created() ? 1 : 0;
      course_.answered(good, message.sent);
    }
  }

  /// Under the lock. Whether there is a message to be written.
  bool gather() {
    outgoing_.Clear();
    std::size_t requests = 0;
    while (waiting_ > 0 && (requests + 1) * course_.load.batch <= tasks_max) {
      --waiting_;
      const std::optional<std::uint64_t> number = course_.next();
      if (!number) {
        ++ended_;
        continue;
      }
      for (std::size_t i = 0; i < course_.load.batch; ++i) fill(*outgoing_.add_tasks(), *number + i);
      ++requests;
    }
    if (requests == 0) return false;
    outgoing_.set_batch_id(++last_id_);
    under_way_[last_id_] = {requests, Steady::now()};
    return true;
  }

  void write_more() {
    bool is_last = false;
    {
      const std::lock_guard lock(mutex_);
      if (writing_ || closed_) return;
      writing_ = gather();
      is_last = closed_ = !writing_ && ended_ == course_.load.in_flight;
      if (!writing_ && !is_last) return;
    }
    if (is_last) StartWritesDone();
    else StartWrite(&outgoing_);
  }

  static constexpr std::size_t tasks_max = 1'000;  // of a message

  Course& course_;
  grpc::ClientContext context_;
  v1::SubmitTasksRequest outgoing_;
  v1::SubmitTasksResponse incoming_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable over_;
  std::size_t waiting_;    // callers with something to send
  std::size_t ended_ = 0;  // callers with nothing more
  std::map<std::uint64_t, Message> under_way_;
  std::uint64_t last_id_ = 0;
  bool writing_ = false;
  bool closed_ = false;
  std::optional<grpc::Status> status_;
};

}  // namespace

double run(const GrpcLoad& load, Tally& tally) {
  const std::unique_ptr<Stub> stub = connect(load.port);
  Course course(load, tally);
  const auto begun = Steady::now();
  if (load.stream) {
    SharedStream(course, *stub).wait();
  } else {
    std::deque<UnaryCaller> callers;
    for (std::size_t i = 0; i < load.in_flight; ++i) callers.emplace_back(course, *stub);
    for (UnaryCaller& caller : callers) caller.go_on();
    course.wait();
  }
  return std::chrono::duration<double>(Steady::now() - begun).count();
}

}  // namespace semel::bench
