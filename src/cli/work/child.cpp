#include "cli/work/child.hpp"

#include <sys/wait.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <csignal>

#include "base/ensure.hpp"
#include "domain/names.hpp"

namespace semel::cli::work {
namespace {

constexpr std::size_t output_bytes_max = domain::limits::context_bytes_max;
constexpr std::size_t line_bytes_max = 4'096;  // a longer line is passed on in pieces
/// A handler that never stops writing may not keep others from being heard. It is more than a pipe holds by default, so
/// that at the end of a handler one turn takes all.
constexpr std::size_t turn_bytes_max = 1 << 20;

}  // namespace

Child::Child(Loop& loop, Spawned spawned, Hooks hooks)
    : pid_(spawned.pid),
      hooks_(std::move(hooks)),
      ended_(loop, spawned.ended.release()),
      output_(loop, spawned.output.release()),
      errors_(loop, spawned.errors.release()) {}

Child::~Child() {
  if (!is_over_) signal(SIGKILL);
}

void Child::signal(int number) const { ::kill(-pid_, number); }

void Child::watch() {
  watch_end();
  watch_stream(output_, &Child::take_output);
  watch_stream(errors_, &Child::take_errors);
}

void Child::watch_end() {
  ended_.async_wait(Stream::wait_read, [weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self || error) return;
    // Asio may pass on what was meant for a descriptor that it has just closed: a connection that ended in the same
    // turn.
    if (self->has_ended()) self->collect();
    else self->watch_end();
  });
}

bool Child::has_ended() const {
  siginfo_t about{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid == pid_;
}

/// Waits and reads in two steps, so that nothing read is under way when the end is collected.
void Child::watch_stream(Stream& stream, void (Child::*take)(std::string_view)) {
  stream.async_wait(Stream::wait_read,
                    [weak = weak_from_this(), &stream, take](const boost::system::error_code& error) {
                      const auto self = weak.lock();
                      if (!self || error || self->is_over_) return;
                      if (self->read_from(stream, take)) self->watch_stream(stream, take);
                    });
}

bool Child::read_from(Stream& stream, void (Child::*take)(std::string_view)) {
  std::array<char, 16'384> buffer;
  for (std::size_t total = 0; total < turn_bytes_max;) {
    const ssize_t count = ::read(stream.native_handle(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    total += static_cast<std::size_t>(count);
    (this->*take)({buffer.data(), static_cast<std::size_t>(count)});
  }
  return true;
}

/// What is too much is read and dropped: a handler that nobody listens to would wait forever.
void Child::take_output(std::string_view bytes) {
  const std::size_t room = output_bytes_max - remains_.output.size();
  if (bytes.size() > room) remains_.output_is_cut = true;
  remains_.output += bytes.substr(0, room);
}

void Child::take_errors(std::string_view bytes) {
  tail_.add(bytes);
  line_ += bytes;
  const std::size_t last = line_.rfind('\n');
  const std::size_t count = last != std::string::npos ? last + 1 : line_.size() > line_bytes_max ? line_.size() : 0;
  if (count == 0) return;
  hooks_.errors(std::string_view(line_).substr(0, count));
  line_.erase(0, count);
}

/// The process has ended, but is not reaped yet: as long as it is there, its number is the group's and nobody else's.
void Child::collect() {
  signal(SIGKILL);
  int status = 0;
  pid_t reaped = -1;
  do reaped = ::waitpid(pid_, &status, 0);
  while (reaped < 0 && errno == EINTR);
  ensure(reaped == pid_);  // else a failure would look like a success
  is_over_ = true;
  read_from(output_, &Child::take_output);
  read_from(errors_, &Child::take_errors);
  if (!line_.empty()) hooks_.errors(line_);
  if (WIFSIGNALED(status)) remains_.signal = WTERMSIG(status);
  else remains_.exit_code = WEXITSTATUS(status);
  remains_.errors = tail_.text();
  hooks_.ended(std::move(remains_));
}

}  // namespace semel::cli::work
