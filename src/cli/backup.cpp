#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/client.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"
#include "server/options.hpp"
#include "server/store_file.hpp"

namespace semel::cli {
namespace {

struct BackupOptions {
  std::string store;
  std::string file;
  bool force = false;
};

using Copy = Result<void> (*)(const std::string& from, const std::string& to, const server::CopyOptions& options);

/// Copies with a progress bar. The exit code.
int copy(Copy how, const std::string& from, const std::string& to, bool force) {
  Result<void> copied;
  {
    Progress progress("copying");
    copied = how(from, to, {force, [&](std::int64_t done, std::int64_t total) {
                              progress.show(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
                            }});
  }
  if (!copied) return refuse_failed(copied.error().message);
  print(fmt::format("{}: {}, checked\n", to, show_bytes(std::filesystem::file_size(to))));
  return exit_code::ok;
}

int run_backup(const BackupOptions& options) {
  const Result<std::string> store = server::parse_sqlite_store(options.store);
  if (!store) return refuse_usage("--store: " + store.error().message);
  return copy(server::backup_store, *store, options.file, options.force);
}

int run_restore(const BackupOptions& options) {
  const Result<std::string> store = server::parse_sqlite_store(options.store);
  if (!store) return refuse_usage("--store: " + store.error().message);
  return copy(server::restore_store, options.file, *store, options.force);
}

}  // namespace

void add_backup(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("backup", "Copy a store into one file, also while its server runs.");
  auto options = std::make_shared<BackupOptions>();
  command->add_option("--store", options->store, "The store: sqlite:FILE")->required();
  command->add_option("--to", options->file, "The file to write; it gets its name when it is whole")->required();
  command->add_flag("--force", options->force, "Overwrite that file");
  command->footer("Example:\n  semel backup --store sqlite:./semel.db --to semel-backup.db");
  command->callback([options, &exit_code] { exit_code = run_backup(*options); });
}

void add_restore(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("restore", "Put a backup in the place of a store whose server is stopped.");
  auto options = std::make_shared<BackupOptions>();
  command->add_option("--from", options->file, "The backup")->required();
  command->add_option("--store", options->store, "The store to make: sqlite:FILE")->required();
  command->add_flag("--force", options->force, "Replace a store that is there; what is in it is lost");
  command->footer("Example:\n  semel restore --from semel-backup.db --store sqlite:./semel.db --force");
  command->callback([options, &exit_code] { exit_code = run_restore(*options); });
}

}  // namespace semel::cli
