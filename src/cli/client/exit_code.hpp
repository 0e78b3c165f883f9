#pragma once
#include "cli/client/transport.hpp"

namespace semel::cli {

/// What the program tells whoever started it (docs/reference/cli.md).
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int failed = 1;       // refused by the server, or the task failed
inline constexpr int wrong_usage = 2;  // the command line is wrong; nothing was done
inline constexpr int duplicate = 3;    // of a submission: the identity is held
inline constexpr int not_found = 4;
inline constexpr int unavailable = 5;  // no server, or it cannot answer now
inline constexpr int still_open = 6;   // the task has not ended yet
}  // namespace exit_code

/// Of an answer in general.
int exit_code_of(int http_status);

/// Of the answer to a submission: a held identity is told apart from what is wrong with the request.
int exit_code_of_submission(int http_status, std::string_view error_code);

/// Of a task in this state.
int exit_code_of_state(std::string_view status);

}  // namespace semel::cli
