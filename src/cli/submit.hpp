#pragma once
#include <string>

#include "cli/client.hpp"
#include "cli/client/submission.hpp"

namespace semel::cli {

/// Asks for the result of a task for so long at most; the last answer.
Result<HttpReply> await_result(Client& client, const std::string& task_uuid, Duration wait);

/// Prints what a task came to: its result or its error.
void show_outcome(const Client& client, const JsonView& answer);

/// Sends the submissions of a file of JSON lines in batches.
int submit_batch(Client& client, const std::string& file);

}  // namespace semel::cli
