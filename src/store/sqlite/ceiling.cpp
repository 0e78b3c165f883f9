#include "store/sqlite/ceiling.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "store/sqlite/execution_row.hpp"
#include "store/sqlite/identity_index.hpp"
#include "store/sqlite/migrate.hpp"
#include "store/sqlite/settings.hpp"

namespace semel::store {
namespace {

using sqlite::Connection;
using Steady = std::chrono::steady_clock;

constexpr std::int64_t tenant_id = 1;
constexpr std::size_t holders_kept = 10'000;

double per_second(std::size_t count, Steady::time_point since) {
  return static_cast<double>(count) / std::chrono::duration<double>(Steady::now() - since).count();
}

}  // namespace

class SubmitCeiling::Inner {
 public:
  explicit Inner(CeilingOptions given)
      : options(std::move(given)), connection(options.file, Connection::Access::read_write) {
    sqlite::configure_writer(connection);
    sqlite::migrate(connection);
    spec.tenant = "default";
    spec.handler = "bench";
    spec.queue = "bench";
    spec.created_by = "open";
    spec.context.assign(options.context_bytes, 'x');
    spec.identity.mode = domain::Mode::key;
    prefill();
  }

  Hash32 random_hash() {
    Hash32 hash{};
    for (std::size_t i = 0; i < hash.size(); i += 8) {
      const std::uint64_t bits = random();
      std::copy_n(reinterpret_cast<const std::uint8_t*>(&bits), 8, hash.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return hash;
  }

  void insert(const Hash32& hash) {
    ++seq;
    Uuid id;
    for (std::size_t i = 0; i < 8; ++i)
      id.bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(seq) >> (56 - 8 * i));
    spec.id = {id};
    spec.key = "bench-" + std::to_string(seq);
    spec.identity.hash = hash;
    spec.fingerprint = hash;
    sqlite::insert_execution(connection, {seq, tenant_id}, spec);
    connection.use("INSERT INTO identities (tenant_id, hash, seq) VALUES (?1, ?2, ?3)")
        ->bind(1, tenant_id)
        .bind(2, hash)
        .bind(3, seq)
        .run();
    if (holders.size() < holders_kept) holders.push_back(hash);
  }

  /// Sorted, so that filling takes seconds and not minutes; the tree is the same.
  void prefill() {
    std::vector<Hash32> hashes(options.prefill);
    for (Hash32& hash : hashes) hash = random_hash();
    std::sort(hashes.begin(), hashes.end());
    connection.use("BEGIN IMMEDIATE")->run();
    for (const Hash32& hash : hashes) insert(hash);
    connection.use("COMMIT")->run();
    connection.checkpoint(true);
  }

  CeilingOptions options;
  Connection connection;
  std::mt19937_64 random{7};
  domain::ExecutionSpec spec;
  std::int64_t seq = 0;
  std::vector<Hash32> holders;
};

SubmitCeiling::SubmitCeiling(CeilingOptions options) : inner_(std::make_unique<Inner>(std::move(options))) {}
SubmitCeiling::~SubmitCeiling() = default;

double SubmitCeiling::inserts_per_second(Duration time) {
  const auto since = Steady::now();
  std::size_t count = 0;
  while (Steady::now() - since < time) {
    inner_->connection.use("BEGIN IMMEDIATE")->run();
    for (std::size_t i = 0; i < inner_->options.group; ++i) inner_->insert(inner_->random_hash());
    inner_->connection.use("COMMIT")->run();
    count += inner_->options.group;
  }
  return per_second(count, since);
}

double SubmitCeiling::reads_per_second(Duration time) {
  if (inner_->holders.empty()) inserts_per_second(Duration{200});
  const auto since = Steady::now();
  std::size_t count = 0;
  while (Steady::now() - since < time) {
    for (int i = 0; i < 64; ++i, ++count) {
      const Hash32& hash = inner_->holders[inner_->random() % inner_->holders.size()];
      const std::int64_t seq = sqlite::IdentityIndex::find_merged(inner_->connection, {tenant_id, hash});
      if (!sqlite::find_by_seq(inner_->connection, "default", seq)) return 0;
    }
  }
  return per_second(count, since);
}

}  // namespace semel::store
