#include "sdk/worker/stop_signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace semel::sdk {
namespace {

/// Where the handler writes to; -1 = nobody waits.
std::atomic<int> signal_pipe{-1};
static_assert(std::atomic<int>::is_always_lock_free);

/// A pipe is what a signal handler may write to.
void on_stop_signal(int) {
  const int before = errno;
  const char byte = 0;
  const int pipe = signal_pipe.load();
  if (pipe >= 0) static_cast<void>(!::write(pipe, &byte, 1));
  errno = before;
}

}  // namespace

StopSignals::StopSignals() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  reader_ = ends[0];
  writer_ = ends[1];
  int nobody = -1;
  if (!signal_pipe.compare_exchange_strong(nobody, writer_)) {
    ::close(reader_);
    ::close(writer_);
    throw std::logic_error("another worker of this process runs and waits for signals; use start() and stop()");
  }
  struct sigaction action{};
  action.sa_handler = on_stop_signal;
  ::sigaction(SIGTERM, &action, &term_before_);
  ::sigaction(SIGINT, &action, &int_before_);
  is_installed_ = true;
}

StopSignals::~StopSignals() {
  restore();
  signal_pipe.store(-1);
  ::close(reader_);
  ::close(writer_);
}

void StopSignals::restore() {
  if (!std::exchange(is_installed_, false)) return;
  ::sigaction(SIGTERM, &term_before_, nullptr);
  ::sigaction(SIGINT, &int_before_, nullptr);
}

void StopSignals::wait() {
  char byte = 0;
  while (::read(reader_, &byte, 1) < 0 && errno == EINTR) continue;
  restore();
}

void StopSignals::wake() {
  const char byte = 0;
  static_cast<void>(!::write(writer_, &byte, 1));
}

}  // namespace semel::sdk
