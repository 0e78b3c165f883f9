#include "bench/folder.hpp"
#include "bench/stage.hpp"
#include "store/sqlite/ceiling.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace semel::bench {
namespace {

class SqliteStage final : public Stage {
 public:
  explicit SqliteStage(const std::string& file)
      : file_(file.empty() ? folder_ / "bench.db" : std::filesystem::path(file)) {}

  std::string name() const override { return "sqlite"; }
  std::string url() const override { return "sqlite:" + file_.string(); }
  std::unique_ptr<Store> open() const override { return std::make_unique<store::SqliteStore>(file_, clock_); }

  /// One commit holds what is in flight together.
  std::unique_ptr<store::Ceiling> open_raw(const Raw& raw) const override {
    store::SqliteCeilingOptions options;
    options.file = raw.is_copy ? folder_.copy(file_, "raw.db") : folder_ / "raw.db";
    options.group = raw.in_flight * raw.batch;
    options.prefill = raw.prefill;
    options.ready = raw.ready;
    options.context_bytes = raw.context_bytes;
    options.result = raw.result;
    return std::make_unique<store::SqliteCeiling>(options);
  }

 private:
  const Folder folder_;
  const std::filesystem::path file_;
};

}  // namespace

std::unique_ptr<Stage> make_sqlite_stage(const std::string& file) { return std::make_unique<SqliteStage>(file); }

}  // namespace semel::bench
