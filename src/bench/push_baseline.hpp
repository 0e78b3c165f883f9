#pragma once
#include <cstddef>
#include <string>

#include "base/time.hpp"

namespace semel::bench {

/// The yardstick of `semel bench push`: how many requests a second a loop of the same HTTP client gets answered, on one
/// thread, with nothing behind it. `body` is posted to the url over so many connections, again and again, for about
/// this time. Throws std::runtime_error when the target does not answer with 200.
double bare_push_per_s(const std::string& url, std::size_t connections, const std::string& body, Duration time);

}  // namespace semel::bench
