#pragma once
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string_view>

#include "cli/work/outcome.hpp"
#include "cli/work/spawn.hpp"
#include "cli/work/tail.hpp"

namespace semel::cli::work {

/// A handler that runs, until its own process has ended. What it has started in its process group is killed then: the
/// attempt is over, and the next may begin. Belongs to the thread of the loop.
class Child : public std::enable_shared_from_this<Child> {
 public:
  using Loop = boost::asio::io_context;

  struct Hooks {
    std::function<void(Remains)> ended;                  // once, at the end; from the loop
    std::function<void(std::string_view lines)> errors;  // whole lines of its standard error, as they come
  };

  Child(Loop& loop, Spawned spawned, Hooks hooks);
  /// Kills what is left.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Begins to read what it writes, and to wait for its end.
  void watch();

  /// To its whole process group.
  void signal(int number) const;

 private:
  using Stream = boost::asio::posix::stream_descriptor;

  void watch_end();
  /// It is not reaped by that.
  bool has_ended() const;
  void watch_stream(Stream& stream, void (Child::*take)(std::string_view));
  /// What there is now, as long as it is not too much for one turn; false at the end of the stream.
  bool read_from(Stream& stream, void (Child::*take)(std::string_view));
  void take_output(std::string_view bytes);
  void take_errors(std::string_view bytes);
  void collect();

  const pid_t pid_;
  const Hooks hooks_;
  Stream ended_;
  Stream output_;
  Stream errors_;
  Remains remains_;
  Tail tail_;
  std::string line_;  // of standard error, as far as it has come
  bool is_over_ = false;
};

}  // namespace semel::cli::work
