#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/json/writer.hpp"
#include "cli/client.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"
#include "server/options.hpp"
#include "server/store_file.hpp"
#include "server/store_schema.hpp"

namespace semel::cli {
namespace {

constexpr std::uintmax_t wal_bytes_odd = 256 << 20;
constexpr std::uintmax_t free_bytes_low = 1 << 30;
constexpr std::uintmax_t free_bytes_none = 64 << 20;
constexpr Duration clock_tolerance = 5min;
const Time year_2025 = *parse_rfc3339("2025-01-01T00:00:00Z");
const Time year_2100 = *parse_rfc3339("2100-01-01T00:00:00Z");

/// What was looked at, a line each.
class Checklist {
 public:
  void ok(const char* what, std::string found) { findings_.ok(what, std::move(found)); }
  void warn(const char* what, std::string found) { findings_.warn(what, std::move(found)); }
  void fail(const char* what, std::string found) { findings_.fail(what, std::move(found)); }
  void add(const store::Findings& more) {
    for (const store::Finding& each : more.all()) findings_.add(each);
  }

  /// Shows it. The exit code.
  int finish(bool json) const {
    if (json) print(as_json() + "\n");
    else print(as_table().text(wants_color(stdout)));
    return has_failed() ? exit_code::failed : exit_code::ok;
  }

 private:
  using Verdict = store::Finding::Verdict;

  static Cell cell_of(Verdict verdict) {
    if (verdict == Verdict::ok) return {"ok", Color::green};
    if (verdict == Verdict::warn) return {"warn", Color::yellow};
    return {"fail", Color::red};
  }

  bool has_failed() const {
    return std::any_of(findings_.all().begin(), findings_.all().end(),
                       [](const store::Finding& each) { return each.verdict == Verdict::fail; });
  }

  Table as_table() const {
    Table table;
    for (const store::Finding& each : findings_.all()) table.add({cell_of(each.verdict), each.what, each.found});
    return table;
  }

  std::string as_json() const {
    json::Writer writer;
    writer.begin_object().boolean("ok", !has_failed()).key("checks").begin_array();
    for (const store::Finding& each : findings_.all()) {
      writer.begin_object().string("verdict", cell_of(each.verdict).text);
      writer.string("check", each.what).string("found", printable(each.found)).end_object();
    }
    return writer.end_array().end_object().take();
  }

  store::Findings findings_;
};

void check_clock(Checklist& list) {
  const std::string now = to_rfc3339(current_time());
  if (current_time() < year_2025 || current_time() > year_2100) list.fail("clock", now + ": set this machine's clock");
  else list.ok("clock", now);
}

void check_disk(Checklist& list, const server::StoreHealth& store) {
  const std::string found = show_bytes(store.free_bytes) + " free on its disk";
  if (store.free_bytes < free_bytes_none) list.fail("disk", found + ": make room, or changes will be refused soon");
  else if (store.free_bytes < free_bytes_low) list.warn("disk", found);
  else list.ok("disk", found);
}

void check_inside(Checklist& list, const server::StoreHealth& store) {
  list.ok("schema", fmt::format("version {}", store.schema_version));
  if (store.integrity == "ok") list.ok("integrity", "every page was read and is sound");
  else list.fail("integrity", store.integrity + ": stop the server, and restore a backup");
  const std::string log = show_bytes(store.wal_bytes);
  if (store.wal_bytes > wal_bytes_odd)
    list.warn("log", log + ": a reader may be holding it back; look for old backups");
  else list.ok("log", log);
  if (store.last_time > current_time() + clock_tolerance)
    list.warn("last commit",
              to_rfc3339(store.last_time) + " is in the future: this clock, or the one before, is wrong");
}

void check_file(Checklist& list, const std::string& file) {
  const Result<server::StoreHealth> store = server::inspect_store(file);
  if (!store) return list.fail("store", store.error().message);
  list.ok("store", fmt::format("{}, {}", file, show_bytes(store->file_bytes)));
  check_inside(list, *store);
  check_disk(list, *store);
  if (store->used_by) list.ok("lock", "the process with pid " + *store->used_by + " uses it");
  else list.ok("lock", "no process uses it");
}

void check_server(Checklist& list, Client& client, const std::string& url) {
  const Result<HttpReply> alive = client.call({.target = "/healthz"});
  if (!alive) return list.fail("server", alive.error().message);
  if (JsonView::parse(alive->body)["status"].text() != "ok")
    return list.fail("server", fmt::format("{} answers {}, but not as Semel does; check --url", url, alive->status));
  list.ok("server", url + " answers");
  const Result<HttpReply> ready = client.call({.target = "/readyz"});
  if (ready && ready->status == 200) return list.ok("ready", "its store answers");
  list.fail("ready", ready ? "its store does not answer; look at the server's log" : ready.error().message);
}

struct DoctorOptions {
  std::shared_ptr<ClientOptions> client;
  bool json = false;
  std::string store;
  std::string dedup_cache;
  const CLI::Option* url = nullptr;
};

int run_doctor(const DoctorOptions& options) {
  Checklist list;
  check_clock(list);
  if (!options.store.empty()) {
    const Result<server::StoreTarget> target = server::parse_store(options.store);
    if (!target) return refuse_usage("--store: " + target.error().message);
    if (target->kind == server::StoreTarget::Kind::sqlite) check_file(list, target->place);
    else list.add(server::examine_database(target->place));
  }
  if (!options.dedup_cache.empty()) {
    const Result<store::Findings> cache = server::examine_dedup_cache(options.dedup_cache);
    if (!cache) return refuse_usage("--dedup-cache: " + cache.error().message);
    list.add(*cache);
  }
  const bool is_alone = options.store.empty() && options.dedup_cache.empty();
  if (is_alone || options.url->count() > 0) {
    const Result<std::unique_ptr<Client>> client = Client::make(*options.client);
    if (!client) return refuse_usage(client.error().message);
    check_server(list, **client, options.client->url);
  }
  return list.finish(options.json);
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("doctor", "Look whether a store and a server are well.");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("--store", options->store,
                      "A store to look at: sqlite:FILE or postgres://…; its servers may run");
  command->add_option("--dedup-cache", options->dedup_cache, "A dedup cache to look at: redis://…");
  command->add_flag("--json", options->json, "Print what was found as JSON");
  options->client = std::make_shared<ClientOptions>();
  options->url =
      command
          ->add_option("--url", options->client->url, "A server to look at; the default one if nothing else is named")
          ->envname("SEMEL_URL")
          ->capture_default_str();
  command->add_option("--retries", options->client->retries, "How often to try to reach it again")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->footer(
      "Example:\n  semel doctor --store sqlite:./semel.db --url http://127.0.0.1:7420\n"
      "  semel doctor --store postgres://semel@db.example/semel --json");
  command->callback([options, &exit_code] { exit_code = run_doctor(*options); });
}

}  // namespace semel::cli
