// events.parquet: what happened in runs and code workflows, in order: a row for each event of their histories.
#include <array>

#include "parquet/mapped.hpp"

namespace semel::parquet {
namespace {

constexpr std::array event_columns{
    Mapped{{"tenant", Type::text}, "tenant"},
    Mapped{{"run_id", Type::text}, "run", as_uuid},
    Mapped{{"sequence", Type::integer}, "sequence"},
    Mapped{{"occurred_at", Type::time}, "at"},
    Mapped{{"event", Type::text}, "kind", as_history_kind},
    Mapped{{"task_key", Type::text}, "task_key", as_text},
    Mapped{{"detail", Type::text}, "detail", as_text},
};
constexpr std::array columns_of_events = columns_of(event_columns);
constexpr std::array<std::string_view, 1> times_of_events{"at"};

std::unique_ptr<Cursor> read_events(Snapshot& snapshot, const Range& range) {
  return std::make_unique<MappedCursor>(
      snapshot, MappedCursor::Plan{store::dump::table_named("history"), event_columns, times_of_events}, range);
}

}  // namespace

File events_file() { return {"events", columns_of_events, store::dump::table_named("history"), read_events}; }

}  // namespace semel::parquet
