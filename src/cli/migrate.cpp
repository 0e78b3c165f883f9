#include <CLI/CLI.hpp>
#include <memory>

#include "cli/client.hpp"
#include "cli/commands.hpp"
#include "server/store_schema.hpp"

namespace semel::cli {
namespace {

struct MigrateOptions {
  std::string store;
  bool dry_run = false;
};

int run_migrate(const MigrateOptions& options) {
  const Result<server::StoreTarget> target = server::parse_store(options.store);
  if (!target) return refuse_usage("--store: " + target.error().message);
  const auto schema = options.dry_run ? server::look_at_schema(*target) : server::migrate_store(*target);
  if (!schema) return refuse_failed(schema.error().message);
  if (schema->is_current()) {
    print(fmt::format("version {}, the newest that this binary knows: nothing to do\n", schema->version));
    return exit_code::ok;
  }
  for (const std::string& file : schema->pending)
    print(fmt::format("{} {}\n", options.dry_run ? "would apply" : "applied", file));
  print(
      fmt::format("version {} {} {}\n", schema->version, options.dry_run ? "would become" : "became", schema->newest));
  return exit_code::ok;
}

}  // namespace

void add_migrate(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("migrate", "Bring the schema of a store to what this binary needs.");
  auto options = std::make_shared<MigrateOptions>();
  command->add_option("--store", options->store, "The store: sqlite:FILE, with its server stopped, or postgres://…")
      ->required();
  command->add_flag("--dry-run", options->dry_run, "Only say what would be done");
  command->footer(
      "Example:\n  semel migrate --store postgres://owner@db.example/semel --dry-run\n"
      "  semel migrate --store postgres://owner@db.example/semel");
  command->callback([options, &exit_code] { exit_code = run_migrate(*options); });
}

}  // namespace semel::cli
