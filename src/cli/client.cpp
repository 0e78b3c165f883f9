#include "cli/client.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>

#include "cli/client/refusal.hpp"
#include "cli/client/show_time.hpp"

namespace semel::cli {
namespace {

constexpr Duration connect_time_max = 5s;

bool can_be_key(const std::string& key) {
  return std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

Time current_time() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

int refuse_usage(std::string_view why) {
  print_error(fmt::format("semel: {}\n", why));
  return exit_code::wrong_usage;
}

int refuse_failed(std::string_view why) {
  print_error(fmt::format("semel: {}\n", printable(why)));
  return exit_code::failed;
}

std::shared_ptr<ClientOptions> add_connection_options(CLI::App& command) {
  auto options = std::make_shared<ClientOptions>();
  command.add_option("--url", options->url, "The server")->envname("SEMEL_URL")->capture_default_str();
  command.add_option("--key", options->key, "API key; SEMEL_KEY keeps it out of the list of processes")
      ->envname("SEMEL_KEY");
  command.add_option("--ca-cert", options->ca_cert, "A certificate to trust, beside the system's (PEM), for https")
      ->envname("SEMEL_CA_CERT");
  command.add_option("--timeout", options->timeout, "How long an answer may take, beyond what is waited for")
      ->capture_default_str();
  return options;
}

std::shared_ptr<ClientOptions> add_client_options(CLI::App& command) {
  auto options = add_connection_options(command);
  command.add_option("--retries", options->retries, "How often to repeat what is safe to repeat")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command.add_flag("--json", options->json, "Print the server's JSON");
  return options;
}

Result<Reach> read_reach(const ClientOptions& options) {
  Result<Url> url = parse_url(options.url);
  if (!url) return pass_on(url.error());
  const Result<Duration> timeout = read_duration("--timeout", options.timeout);
  if (!timeout) return pass_on(timeout.error());
  if (*timeout < 1ms) return bad_request("--timeout must be at least 1ms");
  if (!can_be_key(options.key)) return bad_request("--key: an API key has only visible ASCII characters");
  if (!options.ca_cert.empty() && !std::ifstream(options.ca_cert))
    return bad_request("--ca-cert: cannot read {}", options.ca_cert);
  return Reach{*std::move(url), {options.key, options.ca_cert, std::min(*timeout, connect_time_max), *timeout}};
}

Client::Client(Reach reach, const ClientOptions& options)
    : transport_(std::move(reach.url), std::move(reach.http)),
      api_(transport_, {options.retries, pause}),
      json_(options.json),
      colored_(wants_color(stdout)),
      now_(current_time()) {}

Result<std::unique_ptr<Client>> Client::make(const ClientOptions& options) {
  Result<Reach> reach = read_reach(options);
  if (!reach) return pass_on(reach.error());
  return std::unique_ptr<Client>(new Client(*std::move(reach), options));
}

int Client::fail(const Result<HttpReply>& reply) const {
  if (reply && json_ && JsonView::parse(reply->body).exists()) print(reply->body + "\n");
  print_error(fmt::format("semel: {}\n", explain_refusal(reply)));
  return reply ? exit_code_of(reply->status) : exit_code::unavailable;
}

int Client::finish(const Result<HttpReply>& reply, const Show& show) const {
  if (!reply || exit_code_of(reply->status) != exit_code::ok) return fail(reply);
  const JsonView answer = JsonView::parse(reply->body);
  if (!answer.exists() && reply->status != 204) {
    return refuse_failed("the answer is not JSON; is this a Semel server? Check --url");
  }
  if (!json_) show(answer);
  else if (answer.exists()) print(reply->body + "\n");
  return exit_code::ok;
}

std::string Client::time(const JsonView& value) const { return value.exists() ? show_time(value.text(), now_) : ""; }
std::string Client::age(const JsonView& value) const { return value.exists() ? show_age(value.text(), now_) : ""; }

int run_client(const ClientOptions& options, const std::function<int(Client&)>& act) {
  const Result<std::unique_ptr<Client>> client = Client::make(options);
  if (!client) return refuse_usage(client.error().message);
  return act(**client);
}

}  // namespace semel::cli
