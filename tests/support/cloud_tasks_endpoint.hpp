#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "tests/support/json.hpp"
#include "tests/support/push_endpoint.hpp"

namespace semel::test {

/// A stand-in for Google Cloud Tasks and its token server that keeps to the rules of their reference: who may call, how
/// tasks are named, how large they are and when they may be scheduled, and that the name of a task is not had again
/// while the task exists, nor within a time after it was executed or deleted. Callable from any thread.
class CloudTasksEndpoint {
 public:
  struct Options {
    std::function<Time()> now;
    std::set<std::string> queues{"projects/p/locations/l/queues/q"};
    Duration dedup_window = 1h;              // of queues that were made with Cloud Tasks; 9 days otherwise
    std::size_t task_bytes_max = 100 << 10;  // "The maximum task size is 100KB."
    std::int64_t token_seconds = 3600;
    std::string base = {};  // before its paths: "/gateway"
  };

  explicit CloudTasksEndpoint(Options options);

  /// The JSON key of its service account, made anew for each endpoint.
  const std::string& credentials() const { return credentials_; }
  std::string api_url() const { return endpoint_.url(options_.base); }
  PushEndpoint& endpoint() { return endpoint_; }

  /// The next calls of tasks.create are answered with these statuses, one after the other, whatever they ask for.
  void fail_next(const std::vector<int>& statuses);
  /// Access tokens that were given out are not good any more.
  void revoke_tokens();
  int tokens_given() const;

  struct Task {
    std::string name;
    nlohmann::json http_request;
    Time schedule_time;
    int dispatch_count = 0;
  };
  std::vector<Task> tasks() const;
  /// As a person would do it in the console. The name is remembered.
  void remove(const std::string& name);

  /// Posts every task that is due to its url, once. A task that is answered with 2xx has been executed, and its name is
  /// remembered; others stay. How many were executed.
  int deliver_due();

 private:
  EndpointReply answer(const EndpointRequest& request);
  EndpointReply give_token(const EndpointRequest& request);
  EndpointReply create(const std::string& queue, const EndpointRequest& request);
  bool deliver(const Task& task) const;
  bool is_name_taken(const std::string& name) const;

  const Options options_;
  const std::shared_ptr<void> key_;  // OpenSSL's, RSA
  std::string credentials_;

  mutable std::mutex mutex_;  // guards what follows
  std::deque<int> failures_;
  std::map<std::string, Time> tokens_;  // and when they expire
  int tokens_given_ = 0;
  std::map<std::string, Task> tasks_;
  std::map<std::string, Time> gone_;  // names of tasks that were executed or deleted, and when

  PushEndpoint endpoint_;  // last: it calls all of the above
};

}  // namespace semel::test
