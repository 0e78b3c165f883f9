#include <CLI/CLI.hpp>
#include <memory>

#include "base/bytes.hpp"
#include "base/json/writer.hpp"
#include "cli/client.hpp"
#include "cli/commands.hpp"
#include "server/store_copy.hpp"
#include "server/store_target.hpp"

namespace semel::cli {
namespace {

using store::dump::Comparison;
using store::dump::Difference;
using store::dump::TableSums;

struct StoreCopyOptions {
  std::string from;
  std::string to;
  bool json = false;
};

/// What is done with the two, and what is said of it.
struct OnBoth {
  Result<Comparison> (*act)(const std::string& file, const std::string& database, const server::RowProgress& progress);
  const char* doing;
  const char* if_same;
  const char* if_not;
};
constexpr OnBoth copying{server::copy_store, "copying and comparing", "copied, and the same in every row",
                         ": nothing was copied, and no server starts on the target"};
constexpr OnBoth verifying{server::compare_stores, "comparing", "the same in every row", ""};

std::string shown(const Difference& difference) {
  if (difference.key.empty()) return fmt::format("{} {}", difference.table, difference.what);
  return fmt::format("{} {} {}", difference.table, difference.key, difference.what);
}

std::string comparison_json(const Comparison& comparison) {
  json::Writer writer;
  writer.begin_object().boolean("same", comparison.are_same()).key("tables").begin_array();
  for (const TableSums& table : comparison.tables) {
    writer.begin_object().string("table", table.table).integer("rows", table.rows_before);
    writer.integer("rows_in_copy", table.rows_after).string("sha256", to_hex(table.hash_before));
    writer.string("sha256_of_copy", to_hex(table.hash_after)).end_object();
  }
  writer.end_array().integer("differences_found", comparison.differences_found).key("differences").begin_array();
  for (const Difference& each : comparison.differences) {
    writer.begin_object().string("table", each.table).string("key", each.key).string("what", each.what).end_object();
  }
  return writer.end_array().end_object().take();
}

void print_comparison(const Comparison& comparison) {
  Table table({"TABLE", "ROWS", "SHA-256", ""});
  for (const TableSums& each : comparison.tables) {
    const bool same = each.are_same();
    table.add({std::string(each.table), std::to_string(each.rows_before), to_hex(each.hash_before).substr(0, 16),
               same ? Cell{"same", Color::green} : Cell{"differs", Color::red}});
  }
  print(table.text(wants_color(stdout)));
}

/// Shows how the two compare. The exit code.
int tell_comparison(const Comparison& comparison, bool json, const OnBoth& what) {
  if (json) print(comparison_json(comparison) + "\n");
  else print_comparison(comparison);
  for (const Difference& each : comparison.differences) print_error(fmt::format("semel: {}\n", printable(shown(each))));
  if (!comparison.are_same())
    return refuse_failed(fmt::format("{} differences{}", comparison.differences_found, what.if_not));
  if (!json) print(fmt::format("{}\n", what.if_same));
  return exit_code::ok;
}

int run_on_both(const OnBoth& what, const StoreCopyOptions& options) {
  const Result<std::string> from = server::parse_sqlite_store(options.from);
  if (!from) return refuse_usage("--from: " + from.error().message);
  const Result<server::StoreTarget> to = server::parse_store(options.to);
  if (!to) return refuse_usage("--to: " + to.error().message);
  if (to->kind != server::StoreTarget::Kind::postgres)
    return refuse_usage("--to: a copy goes to postgres://…; for a copy in a file use semel backup");
  Result<Comparison> comparison = [&] {
    Progress progress(what.doing);
    return what.act(*from, to->place, [&](std::int64_t done, std::int64_t total) {
      progress.show(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
    });
  }();
  if (!comparison) return refuse_failed(comparison.error().message);
  return tell_comparison(*comparison, options.json, what);
}

std::shared_ptr<StoreCopyOptions> add_both_stores(CLI::App& command) {
  auto options = std::make_shared<StoreCopyOptions>();
  command.add_option("--from", options->from, "The store to read: sqlite:FILE; its server must be stopped")->required();
  command.add_option("--to", options->to, "The database: postgres://USER@HOST/DATABASE")->required();
  command.add_flag("--json", options->json, "Print the comparison as JSON");
  return options;
}

void add_copy(CLI::App& group, int& exit_code) {
  CLI::App* command =
      group.add_subcommand("copy", "Copy a store on a file into an empty PostgreSQL, and compare the two.");
  const auto options = add_both_stores(*command);
  command->footer("Example:\n  semel store copy --from sqlite:./semel.db --to postgres://semel@db.example/semel");
  command->callback([options, &exit_code] { exit_code = run_on_both(copying, *options); });
}

void add_verify(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("verify", "Compare a store with its copy, before a server uses the copy.");
  const auto options = add_both_stores(*command);
  command->footer("Example:\n  semel store verify --from sqlite:./semel.db --to postgres://semel@db.example/semel");
  command->callback([options, &exit_code] { exit_code = run_on_both(verifying, *options); });
}

}  // namespace

void add_store(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("store", "Move a store to another database.");
  group->require_subcommand(1);
  add_copy(*group, exit_code);
  add_verify(*group, exit_code);
  group->footer("Example:\n  semel store copy --from sqlite:./semel.db --to postgres://semel@db.example/semel");
}

}  // namespace semel::cli
