#pragma once
#include <regex>
#include <string>
#include <utility>

#include "tests/grpc/grpc_fixture.hpp"

namespace semel::test {

/// Without what is empty: a message does not tell an empty list from none.
inline Json pruned(const Json& json) {
  if (!json.is_structured()) return json;
  Json kept = json.is_array() ? Json::array() : Json::object();
  for (const auto& [name, value] : json.items()) {
    const Json each = pruned(value);
    if (json.is_array()) kept.push_back(each);
    else if (!each.is_structured() || !each.empty()) kept[name] = each;
  }
  return kept;
}

/// Ids, hashes and whose key it was are masked.
inline Json masked(const Json& json) {
  static const std::regex uuid("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  static const std::regex hash("[0-9a-f]{32,64}");
  static const std::regex external("d_[a-z2-7]{26}");
  static const std::regex owner("\"(created_by|key_id|by)\":\"[a-z]+\"");
  static const std::regex offset(" at byte [0-9]+");
  std::string text = pruned(json).dump();
  for (const auto& [pattern, with] :
       {std::pair{&uuid, "ID"}, {&hash, "HASH"}, {&external, "EXTERNAL"}, {&owner, "\"owner\":\"X\""}, {&offset, ""}})
    text = std::regex_replace(text, *pattern, with);
  return Json::parse(text);
}

/// The same through REST and gRPC, on one server: REST as the tenant acme, gRPC as the tenant globex. What is told must
/// be the same, but for ids.
class Parity : public GrpcFixture {
 protected:
  /// The refusal as REST writes it.
  static Json refusal(v1::Error error) {
    error.clear_grpc_status();
    Json json = to_json(error);
    json.erase("grpc_status");
    json.erase("shortened");
    return json;
  }
  static Json rest_refusal(const HttpAnswer& answer) {
    Json error = answer.json()["error"];
    if (error.contains("pointers") && error["pointers"].empty()) error.erase("pointers");
    return error;
  }
  template <typename Response>
  static void expect_same(const HttpAnswer& rest, const RpcAnswer<Response>& rpc, const Json& body) {
    if (rest.status >= 400) {
      EXPECT_EQ(masked(refusal(rpc.error())), masked(rest_refusal(rest)));
      EXPECT_FALSE(rpc.ok());
      return;
    }
    EXPECT_TRUE(rpc.ok()) << rpc.status.error_message();
    EXPECT_EQ(masked(body), masked(rest.json()));
  }

  struct Ids {
    std::string rest, rpc;
  };
  /// Submits to both, and compares. The ids of what was created, if it was.
  Ids submit_both(const Json& submission) {
    SCOPED_TRACE(submission.dump());
    const HttpAnswer rest = submit("admin", submission);
    Json message = submission;
    if (message.contains("deadline") && parse_duration(message["deadline"].get<std::string>())) {
      message["deadline_after"] = message["deadline"];
      message.erase("deadline");
    }
    const auto rpc = submit_rpc("globex", message);
    Json body = rpc.json();
    EXPECT_EQ(body["created"], rest.status == 201);
    body.erase("created");
    expect_same(rest, rpc, body);
    return {rest.json().value("task_uuid", ""), rpc.response.task_uuid()};
  }
  void expect_same_task(const Ids& ids) {
    expect_same(get("admin", "/v1/tasks/" + ids.rest), get_rpc("globex", ids.rpc), get_rpc("globex", ids.rpc).json());
  }
  /// Leases the next task of the queue in both tenants, and ends it.
  void end_both(const std::string& queue, const std::string& how, const Json& body) {
    for (const std::string key : {"admin", "globex"}) {
      const Json leased = lease(queue, key);
      ASSERT_TRUE(leased.is_object());
      ASSERT_EQ(post(key, "/v1/attempts/" + leased["attempt_id"].get<std::string>() + how, body).status, 200);
    }
  }
};

}  // namespace semel::test
