#include <algorithm>
#include <set>

#include "store/postgres/inner.hpp"

/// Promises to the dedup cache (docs/adr/0014): until they end, nobody takes an identity over, releases it or removes
/// its holder. All who would do so lock the identity first, as is done here.
namespace semel::store {
namespace {

using postgres::Array;
using postgres::Batch;
using postgres::FoundHolder;
using postgres::Row;
using postgres::Rows;
using postgres::TenantAndHash;
using postgres::TenantAndQueue;
using postgres::Type;

/// The time of the promise to the one who asks, and of the one that the store keeps.
struct Term {
  Time told;
  Time kept;
};

/// Nothing when the holder may change at any moment, or too soon.
std::optional<Term> term_of(const domain::Holder& holder, Time now, Duration length, Duration grace) {
  if (holder.tombstone || holder.released_at || holder.state != domain::State::completed) return std::nullopt;
  Term term{now + length, now + length + grace};
  if (const auto end = domain::window_end(holder.window, holder.created_at, holder.closed_at)) {
    term.told = std::min(term.told, *end - grace);
    term.kept = std::min(term.kept, *end);
  }
  if (term.told <= now) return std::nullopt;
  return term;
}

/// Those whose queues keep nothing are removed at any moment.
std::vector<const Holding*> worth_it(Batch& batch, std::span<const Holding> holdings) {
  std::set<TenantAndQueue> queues;
  for (const Holding& each : holdings) queues.emplace(each.tenant, each.queue);
  batch.queues.preload(queues);
  std::vector<const Holding*> chosen;
  for (const Holding& each : holdings) {
    if (batch.queues.settings({each.tenant, each.queue}).retention > Duration{0}) chosen.push_back(&each);
  }
  return chosen;
}

/// What is about to be dropped with all of its day is hidden for longer than any promise before: it gets no more.
constexpr std::string_view promise_until =
    "UPDATE identities i SET promised_until = greatest(i.promised_until, p.kept)"
    " FROM unnest($1::text[], $2::bytea[], $3::uuid[], $4::bigint[]) AS p (tenant, hash, id, kept)"
    " WHERE i.tenant = p.tenant AND i.hash = p.hash AND i.execution_id = p.id AND coalesce(i.unpromised_until, 0) <= $5"
    " AND NOT EXISTS (SELECT FROM closed c WHERE c.tenant = p.tenant AND c.id = p.id"
    " AND is_leaving(c.keep_days, c.closed_day))"
    " RETURNING i.tenant, i.hash";

/// Those that were promised, with the time that is told.
std::map<TenantAndHash, Time> write_promises(Batch& batch, std::span<const Holding* const> holdings, Duration length,
                                             Duration grace) {
  std::vector<TenantAndHash> identities;
  for (const Holding* each : holdings) identities.emplace_back(each->tenant, each->hash);
  lock_identities(batch.connection, identities);
  const std::map<TenantAndHash, FoundHolder> holders = find_holders(batch.connection, identities);
  std::map<TenantAndHash, Time> told;
  Array tenants(Type::text), hashes(Type::bytes), ids(Type::uuid), kept(Type::integer);
  for (const Holding* each : holdings) {
    const TenantAndHash identity{each->tenant, each->hash};
    const auto found = holders.find(identity);
    if (found == holders.end() || told.contains(identity)) continue;
    const domain::Holder holder = found->second.holder();
    if (holder.id != each->id || holder.closed_at != each->closed_at) continue;
    const std::optional<Term> term = term_of(holder, batch.now, length, grace);
    if (!term) continue;
    told.emplace(identity, term->told);
    tenants.add(each->tenant);
    hashes.add(each->hash);
    ids.add(each->id);
    kept.add(term->kept);
  }
  std::map<TenantAndHash, Time> promised;
  if (told.empty()) return promised;
  for (const Row row : batch.connection.run(promise_until, tenants, hashes, ids, kept, batch.now)) {
    const TenantAndHash identity{row.text(0), row.hash(1)};
    promised.emplace(identity, told.at(identity));
  }
  return promised;
}

}  // namespace

Outcome postgres::postpone(Batch& batch, const TenantAndHash& identity, Time until) {
  batch.connection.run("UPDATE identities SET unpromised_until = $3 WHERE tenant = $1 AND hash = $2", identity.first,
                       identity.second, batch.now + unpromised_for);
  return Postponed{until};
}

Promised PostgresStore::Inner::promise(std::span<const Holding> holdings, Duration length, Duration grace) {
  std::optional<Time> now;
  std::map<TenantAndHash, Time> promised;
  transact(now, [&](Batch& batch) {
    promised.clear();
    if (!holdings.empty()) promised = write_promises(batch, worth_it(batch, holdings), length, grace);
  });
  Promised answer{*now, {}};
  for (const Holding& each : holdings) {
    const auto found = promised.find({each.tenant, each.hash});
    answer.until.push_back(found == promised.end() ? std::nullopt : std::optional(found->second));
  }
  return answer;
}

Promised PostgresStore::promise(std::span<const Holding> holdings, Duration length, Duration grace) {
  return inner_->promise(holdings, length, grace);
}

std::string PostgresStore::secret() {
  auto writer = inner_->writers.borrow();
  writer->run(
      "INSERT INTO cache_secret (secret) VALUES"
      " (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')) ON CONFLICT DO NOTHING");
  return std::string(as_text(writer->run("SELECT secret FROM cache_secret")[0].hash(0)));
}

}  // namespace semel::store
