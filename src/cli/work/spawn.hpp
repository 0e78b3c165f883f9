#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace semel::cli::work {

/// An open file of the system, closed with this object.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = other.release();
    return *this;
  }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Whoever gets it closes it.
  int release() { return std::exchange(number_, -1); }

 private:
  void close() {
    if (is_open()) ::close(number_);
  }

  int number_ = -1;
};

/// A process that has just begun, in a process group of its own, whose number is the process's.
struct Spawned {
  pid_t pid = -1;
  Descriptor ended;   // becomes readable when the process has ended
  Descriptor output;  // the reading end of its standard output, which does not block
  Descriptor errors;  // the same of its standard error
};

/// Starts a program, looked up in PATH unless its name has a slash, without a shell. `input` is its standard input: all
/// of it is there when the program begins, so that nobody has to write while it reads. It inherits no other open file,
/// and SIGPIPE as it is by default.
Result<Spawned> spawn(std::span<const std::string> command, std::span<const std::string> environment,
                      std::string_view input);

/// Refuses a program that spawn() would not find, or may not run.
Result<void> check_program(const std::string& name);

}  // namespace semel::cli::work
