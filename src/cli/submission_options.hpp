#pragma once
#include <memory>
#include <optional>
#include <string>

#include "cli/client/submission.hpp"

namespace CLI {
class App;
}

namespace semel::cli {

/// The options that say what is submitted, the same for submit and explain.
struct SubmissionOptions {
  SubmissionText text;
  std::optional<std::string> context_file;

  /// With the context read from where it is: "-" is standard input.
  Result<SubmissionText> read() const;
};

std::shared_ptr<SubmissionOptions> add_submission_options(CLI::App& command);

/// All of a file; "-" is standard input.
Result<std::string> read_file(const std::string& file);

}  // namespace semel::cli
