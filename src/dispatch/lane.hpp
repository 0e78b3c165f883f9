#pragma once
#include <memory>
#include <mutex>
#include <optional>

#include "dispatch/push_request.hpp"
#include "dispatch/service_account.hpp"
#include "dispatch/targets.hpp"

namespace semel::dispatch {

/// What all threads of the targets share. Immutable.
struct Shared {
  Options options;
  Signer signer;
  std::optional<ServiceAccount> account;  // absent: Cloud Tasks cannot be used
};

/// One thread that sends, with connections and access tokens of its own. Callable from any thread.
class Lane {
 public:
  using Done = DispatchTargets::Done;

  explicit Lane(std::shared_ptr<const Shared> shared);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  void send(DispatchOrder order, Done done);
  void close();

 private:
  class Inner;
  const std::unique_ptr<Inner> inner_;
  std::mutex mutex_;  // guards is_closed_, and that nothing is handed on after it
  bool is_closed_ = false;
};

}  // namespace semel::dispatch
