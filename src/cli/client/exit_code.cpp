#include "cli/client/exit_code.hpp"

namespace semel::cli {

int exit_code_of(int http_status) {
  if (http_status >= 200 && http_status < 300) return exit_code::ok;
  switch (http_status) {
    case 404:
    case 410: return exit_code::not_found;
    case 429:
    case 502:
    case 503:
    case 504: return exit_code::unavailable;
    default: return exit_code::failed;
  }
}

int exit_code_of_submission(int http_status, std::string_view error_code) {
  if (http_status == 409) return exit_code::duplicate;
  if (http_status == 422 && error_code == "IDEMPOTENCY_KEY_MISMATCH") return exit_code::duplicate;
  return exit_code_of(http_status);
}

int exit_code_of_state(std::string_view status) {
  if (status == "completed") return exit_code::ok;
  if (status == "pending" || status == "running") return exit_code::still_open;
  return exit_code::failed;
}

}  // namespace semel::cli
