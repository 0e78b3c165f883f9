#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/json/writer.hpp"
#include "cli/client.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"
#include "server/options.hpp"
#include "server/store_export.hpp"

namespace semel::cli {
namespace {

struct ExportFlags {
  std::string store = server::Options{}.store;  // as the server's
  std::string out;
  std::string since;
  std::string duckdb;
  bool force = false;
  bool json = false;
};

/// A moment, or how long ago it was.
Result<std::optional<Time>> read_since(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const std::optional<Time> time = parse_rfc3339(text)) return time;
  if (const std::optional<Duration> ago = parse_duration(text)) return current_time() - *ago;
  return bad_request("--since: '{}' is neither a time such as 2026-01-20T12:00:00Z nor a duration such as 24h", text);
}

std::string manifest_json(const parquet::Manifest& manifest, const std::string& folder) {
  json::Writer writer;
  writer.begin_object().string("folder", folder).string("taken_at", to_rfc3339(manifest.taken_at));
  if (manifest.since) writer.string("since", to_rfc3339(*manifest.since));
  writer.key("tables").begin_array();
  for (const parquet::Written& each : manifest.tables)
    writer.begin_object().string("table", each.table).integer("rows", each.rows).end_object();
  return writer.end_array().end_object().take();
}

void print_manifest(const parquet::Manifest& manifest, const std::string& folder) {
  Table table({"FILE", "ROWS", "SIZE"});
  for (const parquet::Written& each : manifest.tables) {
    const std::string file = std::string(each.table) + ".parquet";
    table.add({file, std::to_string(each.rows),
               show_bytes(std::filesystem::file_size(std::filesystem::path(folder) / file))});
  }
  print(table.text(wants_color(stdout)));
  print(fmt::format("{}: the store as it was at {}\n", folder, to_rfc3339(manifest.taken_at)));
}

int run_export(const ExportFlags& flags) {
  Result<server::StoreTarget> store = server::parse_store(flags.store);
  if (!store) return refuse_usage("--store: " + store.error().message);
  const Result<std::optional<Time>> since = read_since(flags.since);
  if (!since) return refuse_usage(since.error().message);
  Result<parquet::Manifest> manifest;
  {
    Progress copying("copying");
    Progress writing("writing");
    const auto shown_by = [](Progress& progress) {
      return [&progress](std::int64_t done, std::int64_t total) {
        progress.show(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
      };
    };
    manifest = server::export_store(
        {*std::move(store), flags.out, *since, flags.force, flags.duckdb, shown_by(copying), shown_by(writing)});
  }
  if (!manifest) return refuse_failed(manifest.error().message);
  if (flags.json) print(manifest_json(*manifest, flags.out) + "\n");
  else print_manifest(*manifest, flags.out);
  return exit_code::ok;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "export", "Write a store as Parquet files, also while its servers run (semel query reads them).");
  auto flags = std::make_shared<ExportFlags>();
  command->add_option("--store", flags->store, "The store: sqlite:FILE or postgres://USER@HOST/DATABASE")
      ->envname("SEMEL_STORE")
      ->capture_default_str();
  command->add_option("--out", flags->out, "The folder to write; it gets its name when it is whole")->required();
  command->add_option("--since", flags->since,
                      "Only what something happened to since then: 2026-01-20T12:00:00Z, or 24h ago");
  command
      ->add_option("--duckdb", flags->duckdb,
                   "The library of DuckDB, libduckdb.so, if it is not where it is looked for")
      ->envname("SEMEL_DUCKDB");
  command->add_flag("--force", flags->force, "Replace an export that is there");
  command->add_flag("--json", flags->json, "Print what was written as JSON");
  command->footer("Example:\n  semel export --store sqlite:./semel.db --out ./export --since 24h");
  command->callback([flags, &exit_code] { exit_code = run_export(*flags); });
}

}  // namespace semel::cli
