#include "tests/support/cloud_tasks_endpoint.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <regex>

#include "base/base64.hpp"
#include "base/url.hpp"
#include "tests/support/http_client.hpp"

namespace semel::test {
namespace {

constexpr const char* account_email = "tests@semel.example";
constexpr const char* account_scope = "https://www.googleapis.com/auth/cloud-platform";

std::shared_ptr<void> make_rsa_key() { return std::shared_ptr<EVP_PKEY>(EVP_RSA_gen(2048), EVP_PKEY_free); }

std::string pem_of(void* key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_PrivateKey(text.get(), static_cast<EVP_PKEY*>(key), nullptr, nullptr, 0, nullptr, nullptr);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

bool is_signed(void* key, const std::string& text, const std::string& signature) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, static_cast<EVP_PKEY*>(key));
  return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                          reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
}

EndpointReply json_reply(int status, const Json& body) {
  return {.status = status, .body = body.dump(), .headers = "Content-Type: application/json\r\n"};
}

/// As google.rpc.Status is written.
EndpointReply google_error(int status, const std::string& name, const std::string& message) {
  return json_reply(status, {{"error", {{"code", status}, {"message", message}, {"status", name}}}});
}

EndpointReply invalid(const std::string& message) { return google_error(400, "INVALID_ARGUMENT", message); }

std::string name_of_status(int status) {
  if (status == 429) return "RESOURCE_EXHAUSTED";
  if (status == 503) return "UNAVAILABLE";
  if (status == 409) return "ABORTED";
  return status == 403 ? "PERMISSION_DENIED" : "INTERNAL";
}

Json json_part(const std::string& token, int number) {
  std::size_t begin = 0;
  for (int i = 0; i < number; ++i) begin = token.find('.', begin) + 1;
  const auto text = from_base64url(token.substr(begin, token.find('.', begin) - begin));
  return text ? Json::parse(*text, nullptr, false) : Json();
}

}  // namespace

CloudTasksEndpoint::CloudTasksEndpoint(Options options)
    : options_(std::move(options)),
      key_(make_rsa_key()),
      endpoint_([this](const EndpointRequest& request) { return answer(request); }) {
  credentials_ = Json{{"type", "service_account"},
                      {"client_email", account_email},
                      {"private_key_id", "key-1"},
                      {"private_key", pem_of(key_.get())},
                      {"token_uri", endpoint_.url("/token")}}
                     .dump();
}

EndpointReply CloudTasksEndpoint::answer(const EndpointRequest& request) {
  const std::lock_guard lock(mutex_);
  if (request.method != "POST") return google_error(404, "NOT_FOUND", "no such method");
  if (request.target == "/token") return give_token(request);
  static const std::regex create_path("/v2/(projects/[^/]+/locations/[^/]+/queues/[^/]+)/tasks");
  std::smatch match;
  const bool is_below = request.target.starts_with(options_.base);
  const std::string path = is_below ? request.target.substr(options_.base.size()) : "";
  if (!std::regex_match(path, match, create_path)) return google_error(404, "NOT_FOUND", "no such path");
  if (!failures_.empty()) {
    const int status = failures_.front();
    failures_.pop_front();
    return google_error(status, name_of_status(status), "as the test wants it");
  }
  const std::string authorization = request.header("authorization");
  const auto token = tokens_.find(authorization.substr(std::min<std::size_t>(7, authorization.size())));
  if (!authorization.starts_with("Bearer ") || token == tokens_.end() || token->second <= options_.now())
    return google_error(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
  return create(match[1], request);
}

EndpointReply CloudTasksEndpoint::give_token(const EndpointRequest& request) {
  const auto refused = [](const char* why) {
    return json_reply(400, {{"error", "invalid_grant"}, {"error_description", why}});
  };
  const std::string expected = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
  if (!request.body.starts_with(expected)) return refused("grant_type");
  const std::string assertion = request.body.substr(expected.size());
  const std::size_t last_dot = assertion.rfind('.');
  if (last_dot == std::string::npos) return refused("no JWT");
  const auto signature = from_base64url(assertion.substr(last_dot + 1));
  if (!signature || !is_signed(key_.get(), assertion.substr(0, last_dot), *signature)) return refused("signature");
  const Json head = json_part(assertion, 0);
  const Json claims = json_part(assertion, 1);
  const std::int64_t now = to_ms(options_.now()) / 1000;
  if (head.value("alg", "") != "RS256" || head.value("kid", "") != "key-1") return refused("head");
  if (claims.value("iss", "") != account_email || claims.value("scope", "") != account_scope) return refused("iss");
  if (claims.value("aud", "") != endpoint_.url("/token")) return refused("aud");
  const std::int64_t issued = claims.value("iat", std::int64_t{0});
  const std::int64_t expires = claims.value("exp", std::int64_t{0});
  if (issued > now + 60 || expires <= now || expires > issued + 3600) return refused("times");
  const std::string token = "ya29." + std::to_string(++tokens_given_);
  tokens_[token] = options_.now() + std::chrono::seconds(options_.token_seconds);
  return json_reply(200, {{"access_token", token}, {"expires_in", options_.token_seconds}, {"token_type", "Bearer"}});
}

EndpointReply CloudTasksEndpoint::create(const std::string& queue, const EndpointRequest& request) {
  if (!options_.queues.contains(queue)) return google_error(404, "NOT_FOUND", "Requested entity was not found.");
  if (request.body.size() > options_.task_bytes_max) return invalid("Task size too large.");
  const Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object() || !body.contains("task") || !body["task"].is_object()) return invalid("task is required");
  const Json& wanted = body["task"];
  static const std::regex id_rule("[A-Za-z0-9_-]{1,500}");
  const std::string name = wanted.value("name", "");
  const std::string parent = queue + "/tasks/";
  if (!name.starts_with(parent) || !std::regex_match(name.substr(parent.size()), id_rule))
    return invalid(
        "Task name must be formatted: \"projects/<PROJECT_ID>/locations/<LOCATION_ID>/queues/<QUEUE_ID>/"
        "tasks/<TASK_ID>\"");
  Task task{name, wanted.value("httpRequest", Json()), options_.now(), 0};
  if (wanted.contains("scheduleTime")) {
    const auto time = parse_rfc3339(wanted["scheduleTime"].get<std::string>());
    if (!time || *time > options_.now() + 720h) return invalid("scheduleTime is too far in the future");
    task.schedule_time = std::max(*time, options_.now());
  }
  if (!task.http_request.is_object() || !parse_http_url(task.http_request.value("url", ""))) return invalid("url");
  if (!from_base64(task.http_request.value("body", ""))) return invalid("body is not base64");
  if (is_name_taken(name)) return google_error(409, "ALREADY_EXISTS", "Requested entity already exists");
  tasks_[name] = task;
  return json_reply(200, {{"name", name}, {"scheduleTime", to_rfc3339(task.schedule_time)}});
}

bool CloudTasksEndpoint::is_name_taken(const std::string& name) const {
  const auto gone = gone_.find(name);
  return tasks_.contains(name) || (gone != gone_.end() && options_.now() < gone->second + options_.dedup_window);
}

void CloudTasksEndpoint::fail_next(const std::vector<int>& statuses) {
  const std::lock_guard lock(mutex_);
  failures_.insert(failures_.end(), statuses.begin(), statuses.end());
}

void CloudTasksEndpoint::revoke_tokens() {
  const std::lock_guard lock(mutex_);
  tokens_.clear();
}

int CloudTasksEndpoint::tokens_given() const {
  const std::lock_guard lock(mutex_);
  return tokens_given_;
}

std::vector<CloudTasksEndpoint::Task> CloudTasksEndpoint::tasks() const {
  const std::lock_guard lock(mutex_);
  std::vector<Task> tasks;
  for (const auto& [name, task] : tasks_) tasks.push_back(task);
  return tasks;
}

void CloudTasksEndpoint::remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (tasks_.erase(name) > 0) gone_[name] = options_.now();
}

int CloudTasksEndpoint::deliver_due() {
  int executed = 0;
  for (const Task& task : tasks()) {
    if (task.schedule_time > options_.now() || !deliver(task)) continue;
    remove(task.name);
    ++executed;
  }
  return executed;
}

bool CloudTasksEndpoint::deliver(const Task& task) const {
  const HttpUrl url = parse_http_url(task.http_request["url"].get<std::string>()).value();
  HttpRequest request{.method = task.http_request.value("httpMethod", "POST"), .target = url.target};
  request.body = from_base64(task.http_request.value("body", "")).value();
  for (const auto& [name, value] : task.http_request["headers"].items())
    request.headers.emplace_back(name, value.get<std::string>());
  request.headers.emplace_back("X-CloudTasks-TaskName", task.name.substr(task.name.rfind('/') + 1));
  try {
    const int status = HttpClient(url.host + ":" + std::to_string(url.port)).ask(request).status;
    return status / 100 == 2;
  } catch (const std::runtime_error&) {
    return false;  // it is tried again
  }
}

}  // namespace semel::test
