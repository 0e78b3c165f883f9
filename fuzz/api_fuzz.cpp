// Sends the input to the whole API on a store in memory: the first byte chooses the call, the rest is its body or its
// query. Every call must be answered once, with JSON, and never with 500.
#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/codec/template_document.hpp"
#include "api/http/app.hpp"
#include "api/http/transport/target.hpp"
#include "base/ensure.hpp"
#include "base/log.hpp"
#include "store/memory/memory_store.hpp"

namespace {

using semel::ensure;
namespace http = semel::http;

constexpr std::string_view id = "019bddae-b818-7d82-b7c5-bd42e5db27fc";

/// What can be called; `{}` is an id.
struct Choice {
  std::string_view method;
  std::string_view path;
};
constexpr std::array choices{
    Choice{"POST", "/v1/tasks"},
    Choice{"POST", "/v1/tasks:batch"},
    Choice{"POST", "/v1/identity/explain"},
    Choice{"POST", "/v1/worker/poll"},
    Choice{"POST", "/v1/attempts:batch"},
    Choice{"POST", "/v1/attempts/{}/complete"},
    Choice{"POST", "/v1/attempts/{}/fail"},
    Choice{"POST", "/v1/attempts/{}/heartbeat"},
    Choice{"POST", "/v1/tasks/{}/cancel"},
    Choice{"POST", "/v1/keys"},
    Choice{"PUT", "/v1/templates"},
    Choice{"GET", "/v1/tasks?"},
    Choice{"GET", "/v1/tasks/by-key?"},
    Choice{"GET", "/v1/tasks/{}/result?"},
    Choice{"GET", "/v1/audit?"},
    Choice{"GET", "/"},
    Choice{"DELETE", "/v1/"},
};

class Everyone final : public semel::Authenticator {
 public:
  semel::Result<semel::domain::Principal> authenticate(const semel::Credentials&) const override {
    return semel::domain::Principal{"default", "fuzz", semel::domain::all_permissions};
  }
};

semel::engine::EngineOptions engine_options() {
  semel::engine::EngineOptions options;
  options.read_template = [](const std::string& document) { return semel::codec::decode_template_json(document); };
  return options;
}

struct Server {
  Server() { engine.stop_waiting(); }  // so that no call waits

  semel::SystemClock clock;
  semel::store::MemoryStore store{clock, {}};
  semel::engine::Engine engine{store, engine_options()};
  Everyone everyone;
  http::App app{engine, everyone};
};

std::optional<http::Request> request_of(const Choice& choice, std::string_view rest) {
  std::string target(choice.path);
  if (const std::size_t at = target.find("{}"); at != std::string::npos) target.replace(at, 2, id);
  const bool is_in_target = target.ends_with('?') || target.ends_with('/');
  if (is_in_target) target.append(rest.substr(0, 1'000));
  auto parsed = http::parse_target(target);
  if (!parsed) return std::nullopt;
  http::Request request;
  request.method = choice.method;
  request.path = std::move(parsed->path);
  request.query = std::move(parsed->query);
  request.request_id = "fuzz";
  request.from_loopback = true;
  if (is_in_target) return request;
  request.content_type = choice.method == "PUT" && !rest.starts_with('{') ? "application/yaml" : "application/json";
  request.body = rest;
  return request;
}

void check(const http::Response& response) {
  ensure(response.status >= 200 && response.status < 600 && response.status != 500);
  if (response.content_type != "application/json" || response.body.empty()) return;
  const nlohmann::json body = nlohmann::json::parse(response.body, nullptr, false);
  ensure(body.is_object());
  ensure((response.status >= 400) == body.contains("error") || response.status == 200);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<Server> server;
  static int runs = 0;
  if (size == 0) return 0;
  if (runs++ % 500 == 0) {
    server.reset();
    server = std::make_unique<Server>();  // what a store holds must stay small
  }
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  auto request = request_of(choices[data[0] % choices.size()], input.substr(1));
  if (!request) return 0;
  std::promise<http::Response> answered;
  server->app.handle(*std::move(request), [&](http::Response response) { answered.set_value(std::move(response)); });
  check(answered.get_future().get());
  return 0;
}
