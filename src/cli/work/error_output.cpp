#include "cli/work/error_output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace semel::cli::work {

void write_errors(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {  // whoever shares it with us has made it so
      pollfd writable{STDERR_FILENO, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace semel::cli::work
