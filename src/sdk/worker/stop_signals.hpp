#pragma once
#include <csignal>

namespace semel::sdk {

/// Waits for SIGTERM or SIGINT, or for somebody who says so. One at a time in a process, since signals are the
/// process's. What the program did with these signals before is done again after the first, and when this is destroyed.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  void wait();
  /// From any thread.
  void wake();

 private:
  void restore();

  int reader_ = -1;
  int writer_ = -1;
  bool is_installed_ = false;
  struct sigaction term_before_{};
  struct sigaction int_before_{};
};

}  // namespace semel::sdk
