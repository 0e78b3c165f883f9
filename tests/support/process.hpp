#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace semel::test {

/// A program that runs beside the test, killed with this object (and with the test). Its standard output is a
/// pipe that the test reads line by line; its standard error is kept and may be read at any time. One thread
/// owns it; signal() may be called from any.
class Process {
 public:
  /// Starts `command`: the program (looked up in PATH) and its arguments. Throws std::runtime_error.
  explicit Process(std::vector<std::string> command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }

  /// The next line of standard output without its end, waiting for it; nothing at the end of the stream.
  std::optional<std::string> read_line();
  /// All of standard output that is left, waiting for its end.
  std::string read_rest();
  /// What has been written to standard error until now.
  std::string errors() const;

  /// To the process itself, not to what it has started.
  void signal(int number) const;
  /// Waits for the end. The exit code, or minus the number of the signal that ended it.
  int wait();

 private:
  pid_t pid_ = -1;
  int output_ = -1;  // the pipe's reading end
  int errors_ = -1;  // a file in memory
  bool ended_ = false;
  int status_ = 0;
  std::string buffer_;  // read, but not yet given out
};

/// What a program that ends by itself came to.
struct Finished {
  int code = 0;
  std::string output;
  std::string errors;
};
Finished run_to_end(std::vector<std::string> command);

}  // namespace semel::test
