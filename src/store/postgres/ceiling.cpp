#include "store/postgres/ceiling.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <random>
#include <thread>

#include "base/uuid7_source.hpp"
#include "domain/execution.hpp"
#include "ports/clock.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/migrate.hpp"

namespace semel::store {
namespace {

using postgres::Array;
using postgres::Connection;
using postgres::Row;
using postgres::Type;
using Steady = std::chrono::steady_clock;

constexpr std::size_t holders_max = 10'000;
constexpr std::size_t prefill_group = 1'000;

constexpr int running = static_cast<int>(domain::State::running);
constexpr int completed = static_cast<int>(domain::State::completed);

}  // namespace

/// One connection with the tasks that it has submitted and claimed.
class PostgresCeiling::Client {
 public:
  explicit Client(const PostgresCeilingOptions& options)
      : options_(options), connection_(options.target), context_(options.context_bytes, 'x') {}

  Connection& connection() { return connection_; }
  void add_ready(const Uuid& id) { ready_.push_back(id); }

  /// One commit, of at most a group. How many tasks it took.
  std::size_t commit(Step step) {
    switch (step) {
      case Step::submit: return submit(options_.group);
      case Step::claim: return at_once(claim());
      case Step::complete: return at_once(complete());
      case Step::turn: return turn();
    }
    return 0;
  }

  /// Each statement is a transaction by itself.
  std::size_t at_once(std::size_t count) {
    connection_.flush();
    return count;
  }

  /// All of it goes to the server together.
  std::size_t turn() {
    connection_.run_later("BEGIN", postgres::Parameters());
    complete();
    const std::size_t count = claim();
    connection_.commit();
    return count;
  }

  std::size_t submit(std::size_t count) {
    Array ids(Type::uuid), hashes(Type::bytes), keys(Type::text);
    for (std::size_t i = 0; i < count; ++i) {
      const Hash32 hash = random_hash();
      const Uuid id = ids_.next(clock_.now());
      ids.add(id);
      hashes.add(hash);
      keys.add("bench-" + id.text());
      ready_.push_back(id);
      if (holders_.size() < holders_max) holders_.push_back(hash);
    }
    connection_.run(
        "WITH new AS (SELECT * FROM unnest($1, $2, $3) AS t (id, hash, key)),"
        " claimed AS (INSERT INTO identities (tenant, hash, execution_id) SELECT 'default', hash, id FROM new)"
        "INSERT INTO executions (tenant, id, kind, phase, queue, handler, priority, order_at, run_at, created_at,"
        " created_by, key, identity_mode, strategy, scope, hash, fingerprint, window_kind, window_ms, client_made_id,"
        " context)"
        "SELECT 'default', id, 0, 1, 'bench', 'bench', 0, $4, $4, $4, 'open', key, 1, 1, 0, hash, hash, 0, 86400000,"
        " false, $5 FROM new",
        ids, hashes, keys, clock_.now(), context_);
    return count;
  }

  void read() {
    const Hash32& hash = holders_[random_() % holders_.size()];
    connection_.run(
        "SELECT e.* FROM identities i JOIN executions e ON e.tenant = i.tenant AND e.id = i.execution_id"
        " WHERE i.tenant = 'default' AND i.hash = $1",
        hash);
  }
  bool has_holders() const { return !holders_.empty(); }

 private:
  /// The execution and its attempt.
  using Running = std::pair<Uuid, Uuid>;

  Hash32 random_hash() {
    Hash32 hash{};
    for (std::size_t i = 0; i < hash.size(); i += 8) {
      const std::uint64_t bits = random_();
      std::copy_n(reinterpret_cast<const std::uint8_t*>(&bits), 8, hash.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return hash;
  }

  std::size_t claim() {
    Array ids(Type::uuid), attempts(Type::uuid);
    const std::size_t count = std::min(options_.group, ready_.size());
    if (count == 0) return 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Uuid attempt = ids_.next(clock_.now());
      ids.add(ready_.front());
      attempts.add(attempt);
      running_.emplace_back(ready_.front(), attempt);
      ready_.pop_front();
    }
    connection_.run_later(
        "WITH started AS (UPDATE executions SET state = $4, phase = 0, attempt = 1, started_at = $3"
        " WHERE tenant = 'default' AND id = ANY ($1))"
        "INSERT INTO attempts (tenant, id, execution_id, number, worker, started_at, lease_until)"
        "SELECT 'default', attempt, id, 1, 'bench', $3, $3 + 30000 FROM unnest($1, $2) AS t (id, attempt)",
        postgres::Parameters(ids, attempts, clock_.now(), running));
    return count;
  }

  std::size_t complete() {
    Array ids(Type::uuid), attempts(Type::uuid);
    const std::size_t count = std::min(options_.group, running_.size());
    if (count == 0) return 0;
    for (std::size_t i = 0; i < count; ++i) {
      ids.add(running_.front().first);
      attempts.add(running_.front().second);
      running_.pop_front();
    }
    connection_.run_later(
        "WITH ended AS (UPDATE attempts SET outcome = 1, ended_at = $3 WHERE tenant = 'default' AND id = ANY ($2))"
        "UPDATE executions SET state = $4, closed_at = $3, result = $5 WHERE tenant = 'default' AND id = ANY ($1)",
        postgres::Parameters(ids, attempts, clock_.now(), completed, options_.result));
    return count;
  }

  const PostgresCeilingOptions& options_;
  const SystemClock clock_;
  Connection connection_;
  const std::string context_;
  Uuid7Source ids_{secure_random};
  std::mt19937_64 random_{secure_random()};
  std::deque<Uuid> ready_;
  std::deque<Running> running_;
  std::vector<Hash32> holders_;
};

PostgresCeiling::PostgresCeiling(PostgresCeilingOptions options) : options_(std::move(options)) {
  for (int i = 0; i < options_.clients; ++i) {
    if (i == 0) postgres::migrate(*std::make_unique<Connection>(options_.target));
    clients_.push_back(std::make_unique<Client>(options_));
  }
  for (std::size_t done = 0; done < options_.prefill; done += prefill_group) {
    clients_.front()->submit(std::min(prefill_group, options_.prefill - done));
  }
  if (!options_.is_copy) return;
  std::size_t number = 0;
  for (const Row row : clients_.front()->connection().run("SELECT id FROM executions WHERE phase = 1 ORDER BY seq")) {
    clients_[number++ % clients_.size()]->add_ready(row.uuid(0));
  }
}

PostgresCeiling::~PostgresCeiling() = default;

Rate PostgresCeiling::measure(std::initializer_list<Step> steps, Duration time, std::size_t tasks_max) {
  const auto since = Steady::now();
  std::atomic<std::size_t> count = 0;
  std::vector<std::jthread> threads;
  for (const auto& client : clients_) {
    threads.emplace_back([&, &client = *client] {
      do {
        std::size_t taken = 0;
        for (const Step step : steps) taken = client.commit(step);
        if (taken == 0) break;
        count += taken;
      } while (count < tasks_max && Steady::now() - since < time);
    });
  }
  threads.clear();
  return {count, std::chrono::duration<double>(Steady::now() - since).count()};
}

Rate PostgresCeiling::measure_reads(Duration time) {
  for (const auto& client : clients_) {
    if (!client->has_holders()) client->submit(prefill_group);
  }
  const auto since = Steady::now();
  std::atomic<std::size_t> count = 0;
  std::vector<std::jthread> threads;
  for (const auto& client : clients_) {
    threads.emplace_back([&, &client = *client] {
      for (; Steady::now() - since < time; ++count) client.read();
    });
  }
  threads.clear();
  return {count, std::chrono::duration<double>(Steady::now() - since).count()};
}

}  // namespace semel::store
