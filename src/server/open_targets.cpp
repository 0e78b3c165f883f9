#include "server/open_targets.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "domain/webhook.hpp"

namespace semel::server {
namespace {

constexpr const char* signing_variable = "SEMEL_DISPATCH_SIGNING_SECRET";
constexpr const char* credentials_variable = "SEMEL_CLOUD_TASKS_CREDENTIALS";

Result<std::string> read_secret_file(std::string_view setting, const std::string& path) {
  if (path.empty()) return {};
  std::ifstream file(path, std::ios::binary);
  if (!file) return bad_request("{}: cannot read '{}'", setting, path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<dispatch::SigningSecrets> parse_signing_secrets(std::string_view text) {
  dispatch::SigningSecrets secrets;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string name;
    std::string secret;
    std::string more;
    words >> name >> secret >> more;
    if (name.empty() || name.starts_with('#')) continue;
    if (!more.empty() || !domain::parse_webhook_secret(secret))
      return bad_request(
          "line {} of the signing secrets is not TENANT/QUEUE, TENANT or default, and a secret: whsec_ "
          "and the base64 of 24 to 64 bytes",
          number);
    secrets[name].push_back(secret);
  }
  return secrets;
}

Result<dispatch::Options> read_dispatch_options(const DispatchOptions& options, const Variable& variable) {
  dispatch::Options made;
  made.limits = options.limits;
  made.cloud_tasks = options.cloud_tasks;
  Result<std::vector<IpNetwork>> networks = parse_networks(options.allowed_networks);
  if (!networks) return pass_on(networks.error());
  made.limits.allowed_networks = *std::move(networks);

  Result<std::string> file = read_secret_file("dispatch.signing_secrets_file", options.signing_secrets_file);
  if (!file) return pass_on(file.error());
  Result<dispatch::SigningSecrets> secrets = parse_signing_secrets(*file);
  if (!secrets) return pass_on(secrets.error());
  made.signing_secrets = *std::move(secrets);
  if (const std::optional<std::string> texts = variable(signing_variable); texts && !texts->empty()) {
    std::istringstream words(*texts);
    made.signing_secrets["default"] = {std::istream_iterator<std::string>(words), {}};
  }

  Result<std::string> credentials = read_secret_file("cloud_tasks.credentials_file", options.credentials_file);
  if (!credentials) return pass_on(credentials.error());
  made.cloud_tasks.credentials = variable(credentials_variable).value_or(*std::move(credentials));
  return made;
}

Result<OpenTargets> open_targets(const DispatchOptions& options, std::function<Time()> now) {
  Result<dispatch::Options> read = read_dispatch_options(options, environment_variable);
  if (!read) return pass_on(read.error());
  read->now = std::move(now);
  const bool signs = !read->signing_secrets.empty();
  return dispatch::make_targets(*std::move(read)).map([signs](std::unique_ptr<DispatchTargets> targets) {
    return OpenTargets{std::move(targets), signs};
  });
}

}  // namespace semel::server
