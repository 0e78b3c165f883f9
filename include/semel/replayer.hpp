#pragma once
#include <map>
#include <string>
#include <utility>

#include "semel/detail/routine.hpp"

namespace semel::testkit {

/// Makes a program that replays stored histories against the code that it was built with, so that a change can be
/// checked before it is deployed:
///
///   int main(int argc, char** argv) {
///     return semel::testkit::Replayer().workflow("process_order", process_order).run(argc, argv);
///   }
///
/// Its arguments are files that `semel workflow history --json` has written, of any of its kinds; `semel workflow
/// replay` fetches one and runs it. It needs no server, and does nothing but compute.
class Replayer {
 public:
  /// What run() returns: the worst that came of one of the files.
  static constexpr int all_fit = 0;
  static constexpr int some_do_not_fit = 1;
  static constexpr int some_not_replayed = 2;  // no such file, no history, a kind that the program does not have

  template <typename F>
  Replayer& workflow(std::string kind, F workflow) {
    workflows_.insert_or_assign(std::move(kind), detail::make_workflow(std::move(workflow)));
    return *this;
  }

  /// Writes a line for each file to the standard output. One that does not fit says what the history has, and what the
  /// code asks for instead.
  int run(int argc, const char* const* argv) const;

 private:
  struct Line {
    int code;
    std::string text;
  };

  Line replay_file(const std::string& file) const;

  std::map<std::string, detail::WorkflowFunction> workflows_;
};

}  // namespace semel::testkit
