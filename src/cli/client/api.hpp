#pragma once
#include <functional>

#include "cli/client/transport.hpp"

namespace semel::cli {

/// Whether a call may be sent again when nobody knows what became of it.
enum class Repeat : std::uint8_t { never, safe };

/// Calls a server, and repeats what is safe to repeat: without an answer, and after 503. For one thread.
class Api {
 public:
  struct Options {
    int retries = 3;
    std::function<void(Duration)> pause;
  };

  Api(Transport& transport, Options options) : transport_(transport), options_(std::move(options)) {}

  Result<HttpReply> call(const HttpCall& call, Repeat repeat);

  const Options& options() const { return options_; }

 private:
  Transport& transport_;
  const Options options_;
};

/// A server that asks for a longer pause than this is not waited for.
inline constexpr Duration retry_after_max = 30s;

/// How long to wait before the retry of this number (from 0): what the server asks for, else ever longer.
Duration pause_before_retry(int number, std::optional<Duration> asked_for);

}  // namespace semel::cli
