#include "store/sqlite/ceiling.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "ports/clock.hpp"
#include "store/sqlite/execution_row.hpp"
#include "store/sqlite/identity_index.hpp"
#include "store/sqlite/life_rows.hpp"
#include "store/sqlite/migrate.hpp"
#include "store/sqlite/settings.hpp"

namespace semel::store {
namespace {

using sqlite::Connection;
using Steady = std::chrono::steady_clock;

constexpr std::int64_t tenant_id = 1;
constexpr std::size_t holders_kept = 10'000;

Rate rate_of(std::size_t count, Steady::time_point since) {
  return {count, std::chrono::duration<double>(Steady::now() - since).count()};
}

/// In the order of the numbers, as real ids are in the order of time, and after all real ones: new rows go to the end.
Uuid numbered_uuid(std::int64_t number) {
  Uuid id;
  id.bytes[0] = 0xFF;
  for (std::size_t i = 1; i < 8; ++i)
    id.bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> (56 - 8 * i));
  return id;
}

}  // namespace

/// Tasks are known by their seq: those up to `completed_` are closed, then up to `claimed_` running, then up to
/// `submitted_` ready.
class SqliteCeiling::Inner {
 public:
  explicit Inner(SqliteCeilingOptions given)
      : options(std::move(given)), connection(options.file, Connection::Access::read_write) {
    sqlite::configure_writer(connection);
    sqlite::migrate(connection);
    spec_.tenant = "default";
    spec_.handler = "bench";
    spec_.queue = "bench";
    spec_.created_by = "open";
    spec_.context.assign(options.context_bytes, 'x');
    spec_.identity.mode = domain::Mode::key;
    submitted_ = newest_seq();
    claimed_ = completed_ = submitted_ - static_cast<std::int64_t>(options.ready);
    prefill();
  }

  /// One commit, of at most a group. How many tasks it took.
  std::size_t commit(Step step) {
    const std::size_t count = std::min(options.group, available(step));
    if (count == 0) return 0;
    const Time now = clock_.now();
    connection.use("BEGIN IMMEDIATE")->run();
    for (std::size_t i = 0; i < count; ++i) {
      switch (step) {
        case Step::submit: submit(random_hash(), now); break;
        case Step::claim: claim(now); break;
        case Step::complete: complete(now); break;
        case Step::turn: turn(now); break;
      }
    }
    connection.use("COMMIT")->run();
    return count;
  }

  Hash32 random_hash() {
    Hash32 hash{};
    for (std::size_t i = 0; i < hash.size(); i += 8) {
      const std::uint64_t bits = random();
      std::copy_n(reinterpret_cast<const std::uint8_t*>(&bits), 8, hash.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return hash;
  }

  SqliteCeilingOptions options;
  Connection connection;
  std::mt19937_64 random{7};
  std::vector<Hash32> holders;

 private:
  std::int64_t newest_seq() {
    sqlite::Scoped query = connection.use("SELECT coalesce(max(seq), 0) FROM executions");
    query->step();
    return query->integer(0);
  }

  std::size_t available(Step step) const {
    if (step == Step::submit) return SIZE_MAX;
    return static_cast<std::size_t>(step == Step::complete ? claimed_ - completed_ : submitted_ - claimed_);
  }

  void submit(const Hash32& hash, Time now) {
    ++submitted_;
    spec_.id = {numbered_uuid(submitted_)};
    spec_.key = "bench-" + std::to_string(submitted_);
    spec_.identity.hash = hash;
    spec_.fingerprint = hash;
    sqlite::insert_execution(connection, {submitted_, tenant_id, now, now}, spec_);
    connection.use("INSERT INTO identities (tenant_id, hash, seq) VALUES (?1, ?2, ?3)")
        ->bind(1, tenant_id)
        .bind(2, hash)
        .bind(3, submitted_)
        .run();
    if (holders.size() < holders_kept) holders.push_back(hash);
  }

  void claim(Time now) {
    ++claimed_;
    sqlite::set_running(connection, claimed_, 1, now, sqlite::Phase::neither);
    sqlite::insert_attempt(
        connection, {{numbered_uuid(claimed_)}, tenant_id, claimed_, 1, "bench-1", now, now + domain::default_lease});
  }

  void complete(Time now) {
    ++completed_;
    sqlite::set_attempt_ended(connection, {numbered_uuid(completed_)}, now, domain::AttemptOutcome::completed, {});
    sqlite::set_closed(connection, completed_, now, domain::State::completed, {options.result, {}});
  }

  /// Those that are completed were claimed by the commit before.
  void turn(Time now) {
    if (completed_ < claimed_) complete(now);
    claim(now);
  }

  /// Sorted, so that filling takes seconds and not minutes; the tree is the same.
  void prefill() {
    std::vector<Hash32> hashes(options.prefill);
    for (Hash32& hash : hashes) hash = random_hash();
    std::sort(hashes.begin(), hashes.end());
    const Time now = clock_.now();
    connection.use("BEGIN IMMEDIATE")->run();
    for (const Hash32& hash : hashes) submit(hash, now);
    connection.use("COMMIT")->run();
    connection.checkpoint(true);
  }

  const SystemClock clock_;
  domain::ExecutionSpec spec_;
  std::int64_t submitted_ = 0;
  std::int64_t claimed_ = 0;
  std::int64_t completed_ = 0;
};

SqliteCeiling::SqliteCeiling(SqliteCeilingOptions options) : inner_(std::make_unique<Inner>(std::move(options))) {}
SqliteCeiling::~SqliteCeiling() = default;

Rate SqliteCeiling::measure(std::initializer_list<Step> steps, Duration time, std::size_t tasks_max) {
  const auto since = Steady::now();
  std::size_t count = 0;
  do {
    std::size_t taken = 0;
    for (const Step step : steps) taken = inner_->commit(step);
    if (taken == 0) break;
    count += taken;
  } while (count < tasks_max && Steady::now() - since < time);
  return rate_of(count, since);
}

Rate SqliteCeiling::measure_reads(Duration time) {
  if (inner_->holders.empty()) measure({Step::submit}, Duration{200});
  const auto since = Steady::now();
  std::size_t count = 0;
  while (Steady::now() - since < time) {
    for (int i = 0; i < 64; ++i, ++count) {
      const Hash32& hash = inner_->holders[inner_->random() % inner_->holders.size()];
      const std::int64_t seq = sqlite::IdentityIndex::find_merged(inner_->connection, {tenant_id, hash});
      if (!sqlite::find_by_seq(inner_->connection, "default", seq)) return {};
    }
  }
  return rate_of(count, since);
}

}  // namespace semel::store
