// Sends the input to the whole API as some requests (api_request.hpp) on a store in memory that has something of every
// kind (api_world.hpp). The routes are those of the application's own table. Every call must be answered once, with
// JSON, and never with 500 or 503: the store in memory is always there.
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/ensure.hpp"
#include "base/log.hpp"
#include "fuzz/api_request.hpp"
#include "fuzz/api_world.hpp"

namespace {

using semel::ensure;
using semel::fuzz::World;
namespace http = semel::http;

constexpr int changes_max = 50;  // after so many, the world is made anew: it must stay small, and as it was
constexpr std::size_t checked_bytes_max = 100'000;

bool is_fault(int status) { return status == 500 || status == 503; }

void check_headers(const http::Response& response) {
  for (const auto& [name, value] : response.headers) {
    ensure(!name.empty() && (name + value).find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
}

/// A stream tells what it has, and goes on.
void check_feed(http::Feed& feed) {
  std::string piece;
  feed.begin([] {});
  feed.pull(piece);
  feed.keep_alive(piece);
}

void check_error(const nlohmann::json& body) {
  ensure(body.contains("error") && body["error"].is_object());
  for (const char* member : {"code", "message"}) {
    ensure(body["error"].contains(member) && body["error"][member].is_string());
    ensure(!body["error"][member].get_ref<const std::string&>().empty());
  }
}

/// What the next requests of the input may name: the newest thing, and the newest lease.
void keep_names(const nlohmann::json& body, World& world) {
  for (const char* member : {"task_uuid", "workflow_execution_id", "promise_id", "id"}) {
    if (body.contains(member) && body[member].is_string()) world.names["last"] = body[member];
  }
  if (!body.contains("leases") || !body["leases"].is_array() || body["leases"].empty()) return;
  world.names["lease"] = body["leases"][0].at("attempt_id");
  world.names["last"] = body["leases"][0].at("task_uuid");
}

void check(const http::Response& response, World& world) {
  ensure(response.status >= 200 && response.status < 600 && !is_fault(response.status));
  check_headers(response);
  if (response.feed) return check_feed(*response.feed);
  const bool is_json = response.content_type == "application/json";
  ensure(is_json || response.status < 400);
  if (!is_json || response.body.empty() || response.body.size() > checked_bytes_max) return;
  const nlohmann::json body = nlohmann::json::parse(response.body, nullptr, false);
  ensure(body.is_object());
  if (response.status >= 400) check_error(body);
  if (body.contains("results") && body["results"].is_array()) {
    for (const nlohmann::json& each : body["results"])
      ensure(!each.is_object() || !is_fault(each.value("status", 200)));
  }
  keep_names(body, world);
}

/// Whether something may be otherwise than before.
bool do_step(std::string_view step, World& world) {
  if (const auto pause = semel::fuzz::pause_in(step)) {
    world.pass(*pause);
    return true;
  }
  auto request = semel::fuzz::request_in(step, world.names);
  if (!request) return false;
  const bool reads = request->method == "GET";
  const http::Response response = world.ask(*std::move(request));
  check(response, world);
  return !reads && response.status < 300;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  semel::log::configure(semel::log::Level::error, semel::log::Format::text);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<World> world;
  static int changes = 0;
  if (!world || changes >= changes_max) {
    world.reset();
    world = std::make_unique<World>();
    changes = 0;
  }
  for (const char* name : {"last", "lease"}) world->names[name] = world->names["unknown"];
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (const std::string_view step : semel::fuzz::steps_in(input)) changes += do_step(step, *world) ? 1 : 0;
  return 0;
}
