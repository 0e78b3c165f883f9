#pragma once
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/e2e/cli.hpp"
#include "tests/support/postgres_database.hpp"

namespace semel::test {

/// A store for a test: a file, or a database.
class ExportedStore {
 public:
  explicit ExportedStore(const std::string& kind) {
    if (kind == "postgres") database_.emplace();
  }

  std::string url() const { return database_ ? database_->url() : "sqlite:" + (folder_ / "semel.db").string(); }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TempDir folder_;
  std::optional<PostgresDatabase> database_{};
};

/// The rows of a statement over an export, by DuckDB.
inline Json query_export(const std::filesystem::path& folder, const std::string& select) {
  const Finished done = run_semel({"query", "--export", folder.string(), "--json", select});
  if (done.code != 0) throw std::runtime_error(done.errors);
  return Json::parse(done.output);
}

/// The same file read by hyparquet.
inline Json read_by_hyparquet(const std::filesystem::path& file) {
  const std::string script = (source_folder() / "tools/duckdb/read_parquet.mjs").string();
  const Finished done = run_to_end({"node", script, file.string()});
  if (done.code != 0) throw std::runtime_error(done.errors);
  return Json::parse(done.output);
}

/// A server whose store has a bit of everything: tasks in every state, attempts that failed and were tried again, a run
/// with a history.
class FilledServer {
 public:
  explicit FilledServer(const std::string& store) : server_(StoreUrl{store}), client_(server_.connect()) {
    put("/v1/templates", {{"namespace", "shop"},
                          {"name", "order"},
                          {"version", "1.0.0"},
                          {"steps",
                           {{{"name", "charge"}, {"handler", "charge"}},
                            {{"name", "ship"}, {"handler", "ship"}, {"depends_on", {"charge"}}}}}});
    for (const char* name : {"completed", "failed", "waiting", "running", "cancelled"})
      create({{"handler", "h.1"},
              {"idempotency_key", name},
              {"max_attempts", std::string(name) == "failed" ? 1 : 3},
              {"retry", {{"base", "1h"}}},
              {"labels", {{"is", name}, {"who's", "Ünal \"x\""}}},
              {"context", {{"text", "a\nb 'c' \"d\" ✓"}, {"amount", 12.50}}}});
    create({{"handler", "later"}, {"delay", "1h"}, {"priority", 7}});
    create({{"namespace", "shop"}, {"name", "order"}, {"context", {{"order", 1}}}});
    work();
  }

  ServerProcess& process() { return server_; }
  RestClient& client() { return client_; }
  const std::vector<std::string>& ids() const { return ids_; }

  void create(const Json& task) {
    const Reply reply = client_.post("/v1/tasks", task);
    if (reply.status != 201) throw std::runtime_error(reply.body.dump());
    ids_.push_back(reply.body["task_uuid"]);
  }

 private:
  void put(const std::string& path, const Json& body) {
    const HttpAnswer answer = client_.raw().ask({.method = "PUT", .target = path, .body = body.dump()});
    if (answer.status >= 300) throw std::runtime_error(answer.body);
  }

  Json lease(const std::string& handler, int max) {
    return client_
        .post("/v1/worker/poll", {{"worker_id", "w 1"},
                                  {"queues", {"default"}},
                                  {"handlers", {handler}},
                                  {"max", max},
                                  {"wait_ms", 30'000},
                                  {"lease_ms", 3'600'000}})
        .body["leases"];
  }

  void end(const Json& lease, const std::string& how, const Json& outcome) {
    const Reply reply = client_.post("/v1/attempts/" + lease["attempt_id"].get<std::string>() + "/" + how, outcome);
    if (reply.status != 200) throw std::runtime_error(reply.body.dump());
  }

  void work() {
    const Json error{{"error", {{"type", "t"}, {"message", "no 'luck'"}}}};
    const Json first = lease("h.1", 4);
    end(first[0], "fail", {{"error", error["error"]}, {"retry_after_ms", 0}});
    end(first[1], "fail", error);
    end(first[2], "fail", error);
    client_.post("/v1/tasks/" + ids_[4] + "/cancel", Json::object());
    end(lease("h.1", 1)[0], "complete", {{"result", {{"paid", true}}}});  // the one that is tried again
    end(lease("charge", 1)[0], "complete", {{"result", 1}});
  }

  ServerProcess server_;
  RestClient client_;
  std::vector<std::string> ids_{};
};

}  // namespace semel::test
