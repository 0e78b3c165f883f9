#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/client/api.hpp"
#include "cli/client/exit_code.hpp"
#include "cli/client/http.hpp"
#include "cli/client/json_view.hpp"
#include "cli/client/table.hpp"

namespace CLI {
class App;
}

namespace semel::cli {

/// The options that every command which calls a server has.
struct ClientOptions {
  std::string url = "http://127.0.0.1:7420";
  std::string key;
  std::string ca_cert;
  std::string timeout = "30s";
  int retries = 3;
  bool json = false;
};

/// Where a server is and how to talk to it, once the options are found to be good.
struct Reach {
  Url url;
  HttpOptions http;
};
/// Refuses a url or a key that cannot be one.
Result<Reach> read_reach(const ClientOptions& options);

/// Adds --url, --key, --ca-cert and --timeout.
std::shared_ptr<ClientOptions> add_connection_options(CLI::App& command);
/// Adds --retries and --json to these.
std::shared_ptr<ClientOptions> add_client_options(CLI::App& command);

/// What a command that calls a server does, and how it tells about it. Answers go to standard output, what went wrong
/// to standard error. For one thread.
class Client {
 public:
  /// Refuses a url or a key that cannot be one.
  static Result<std::unique_ptr<Client>> make(const ClientOptions& options);

  Result<HttpReply> call(const HttpCall& call, Repeat repeat = Repeat::safe) { return api_.call(call, repeat); }

  using Show = std::function<void(const JsonView& answer)>;
  /// Shows a good answer, as it is with --json, else by `show`; says why there is none. The exit code.
  int finish(const Result<HttpReply>& reply, const Show& show) const;
  /// Says why there is no good answer. The exit code.
  int fail(const Result<HttpReply>& reply) const;

  bool json() const { return json_; }
  bool colored() const { return colored_; }
  Time now() const { return now_; }
  const Api::Options& api_options() const { return api_.options(); }

  std::string time(const JsonView& value) const;
  std::string age(const JsonView& value) const;
  static Cell status(const JsonView& value) { return {value.text(), color_of_status(value.text())}; }
  void print_table(const Table& table) const { print(table.text(colored_)); }

 private:
  Client(Reach reach, const ClientOptions& options);

  HttpTransport transport_;
  Api api_;
  const bool json_;
  const bool colored_;
  const Time now_;
};

/// Makes a client and lets `act` use it; wrong_usage when the options are wrong.
int run_client(const ClientOptions& options, const std::function<int(Client&)>& act);

/// Says what is wrong with the command line. Returns wrong_usage.
int refuse_usage(std::string_view why);
/// Says what went wrong. Returns failed.
int refuse_failed(std::string_view why);

Time current_time();

}  // namespace semel::cli
