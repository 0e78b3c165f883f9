// identities.parquet: which execution holds which identity, or what retention has left of it (a tombstone).
#include <array>

#include "parquet/output.hpp"
#include "parquet/reader.hpp"

namespace semel::parquet {
namespace {

using store::dump::Kind;

constexpr std::array columns_of_identities{
    Column{"tenant", Type::text},          Column{"identity_hash", Type::text}, Column{"execution_id", Type::text},
    Column{"is_tombstone", Type::boolean}, Column{"kind", Type::text},          Column{"status", Type::text},
    Column{"handler", Type::text},         Column{"claimed_at", Type::time},    Column{"closed_at", Type::time},
    Column{"released_at", Type::time},     Column{"window_kind", Type::text},   Column{"window_ms", Type::integer},
    Column{"fingerprint", Type::text},     Column{"created_by", Type::text},    Column{"identity_mode", Type::text},
    Column{"idempotency_key", Type::text},
};

/// What is read of a holder. The last two are not kept by a tombstone.
namespace holder {
enum : std::size_t {
  tenant,
  id,
  kind,
  state,
  handler,
  created_at,
  closed_at,
  released_at,
  window_kind,
  window_ms,
  fingerprint,
  created_by,
  identity_mode,
  key
};
constexpr std::array<store::dump::Field, 14> fields{{{"tenant", Kind::text},
                                                     {"id", Kind::uuid},
                                                     {"kind", Kind::integer},
                                                     {"state", Kind::integer},
                                                     {"handler", Kind::text},
                                                     {"created_at", Kind::integer},
                                                     {"closed_at", Kind::integer},
                                                     {"released_at", Kind::integer},
                                                     {"window_kind", Kind::integer},
                                                     {"window_ms", Kind::integer},
                                                     {"fingerprint", Kind::bytes},
                                                     {"created_by", Kind::text},
                                                     {"identity_mode", Kind::integer},
                                                     {"key", Kind::text}}};
constexpr store::dump::Table executions{"executions", fields, 2};
constexpr store::dump::Table tombstones{"tombstones", std::span(fields).first(identity_mode), 2};
}  // namespace holder

/// Goes through the holders, and beside them through what they are: all three in the same order.
class IdentitiesCursor final : public Cursor {
 public:
  IdentitiesCursor(Snapshot& snapshot, const Range& range)
      : range_(range),
        identities_(snapshot, store::dump::holders()),
        executions_(snapshot, holder::executions),
        tombstones_(snapshot, holder::tombstones) {}

  std::optional<Row> next() override {
    while (identities_.next()) {
      const std::string_view tenant = identities_.text(0);
      const std::string_view id = identities_.text(1);
      const bool is_tombstone = !executions_.seek(tenant, id);
      if (is_tombstone && !tombstones_.seek(tenant, id)) continue;  // a row that holds nothing any more
      const Reader& found = is_tombstone ? tombstones_ : executions_;
      using namespace holder;
      if (!range_.has({found.value(created_at), found.value(closed_at), found.value(released_at)})) continue;
      write(found, is_tombstone);
      return output_.row();
    }
    return std::nullopt;
  }

 private:
  void write(const Reader& found, bool is_tombstone) {
    using namespace holder;
    output_.begin();
    output_.add(found.value(tenant));
    as_hex(output_, identities_.value(2));
    as_uuid(output_, found.value(id));
    output_.add(Value(std::int64_t{is_tombstone}));
    as_kind(output_, found.value(kind));
    as_state(output_, found.value(state));
    for (const std::size_t field : {handler, created_at, closed_at, released_at}) output_.add(found.value(field));
    as_window_kind(output_, found.value(window_kind));
    output_.add(found.value(window_ms));
    as_hex(output_, found.value(fingerprint));
    as_text(output_, found.value(created_by));
    as_identity_mode(output_, is_tombstone ? Value() : found.value(identity_mode));
    output_.add(is_tombstone ? Value() : found.value(key));
  }

  const Range range_;
  Reader identities_;
  Reader executions_;
  Reader tombstones_;
  Output output_;
};

std::unique_ptr<Cursor> read_identities(Snapshot& snapshot, const Range& range) {
  return std::make_unique<IdentitiesCursor>(snapshot, range);
}

}  // namespace

File identities_file() { return {"identities", columns_of_identities, store::dump::holders(), read_identities}; }

}  // namespace semel::parquet
