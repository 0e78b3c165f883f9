#pragma once
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/http_client.hpp"
#include "tests/support/places.hpp"
#include "tests/support/process.hpp"

namespace semel::test {

/// What a request came to: its status and its body, read as JSON.
struct Reply {
  int status = 0;
  Json body;
};

/// One connection to a server, kept alive. Throws std::runtime_error when it is lost.
class RestClient {
 public:
  explicit RestClient(const std::string& address) : client_(address) {}

  Reply get(const std::string& path) { return ask({.target = path}); }
  Reply post(const std::string& path, const Json& body) {
    return ask({.method = "POST", .target = path, .body = body.dump()});
  }
  HttpClient& raw() { return client_; }

 private:
  Reply ask(const HttpRequest& request) {
    const HttpAnswer answer = client_.ask(request);
    return {answer.status, answer.json()};
  }

  HttpClient client_;
};

/// The repository whose pages are tried out: this one, or the clone that script/lib/walk.py has made.
inline std::filesystem::path source_folder() {
  const char* const walked = std::getenv("WALKED_CLONE");
  return walked != nullptr ? walked : places::sources;
}
/// The program that was built of it.
inline std::string semel_program() {
  const bool is_walked = std::getenv("WALKED_CLONE") != nullptr;
  return is_walked ? (source_folder() / "build/release/semel").string() : places::semel;
}

/// `semel server` with these arguments, and gRPC on a free port unless they say where.
inline std::vector<std::string> server_command(std::vector<std::string> arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--grpc-listen") == arguments.end())
    arguments.insert(arguments.end(), {"--grpc-listen", "127.0.0.1:0"});
  arguments.insert(arguments.begin(), {semel_program(), "server"});
  return arguments;
}

/// What `--store` takes.
struct StoreUrl {
  std::string text;
};

/// The real binary as a server on a free port of the loopback address, ready when this is made.
class ServerProcess {
 public:
  explicit ServerProcess(const std::filesystem::path& file, std::vector<std::string> more = {})
      : ServerProcess(StoreUrl{"sqlite:" + file.string()}, std::move(more)) {}
  explicit ServerProcess(const StoreUrl& store, std::vector<std::string> more = {})
      : process_(command(store.text, std::move(more))), ready_(process_.read_line().value_or("")) {
    const std::string before = "semel: ready http=";
    if (!ready_.starts_with(before)) throw std::runtime_error("the server did not start: " + process_.errors());
    address_ = ready_.substr(before.size(), ready_.find(' ', before.size()) - before.size());
  }

  Process& process() { return process_; }
  const std::string& ready_line() const { return ready_; }
  const std::string& address() const { return address_; }
  std::string port() const { return address_.substr(address_.rfind(':') + 1); }
  RestClient connect() const { return RestClient(address_); }

  /// Ends it as an operator does; its exit code.
  int stop(int signal = SIGTERM) {
    process_.signal(signal);
    return process_.wait();
  }

 private:
  static std::vector<std::string> command(const std::string& store, std::vector<std::string> more) {
    std::vector<std::string> arguments{"--listen", "127.0.0.1:0", "--store", store};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return server_command(std::move(arguments));
  }

  Process process_;
  std::string ready_;
  std::string address_;
};

}  // namespace semel::test
