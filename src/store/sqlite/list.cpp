#include <iterator>
#include <limits>

#include "ports/cursor.hpp"
#include "store/sqlite/inner.hpp"
#include "store/sqlite/listed_rows.hpp"

namespace semel::store {
namespace {

using sqlite::Connection;
using sqlite::ExecutionRow;
using sqlite::Listed;
using sqlite::Scoped;
using sqlite::Zones;

/// The newest row before `seq`; 0 = there is none.
std::int64_t newest_before(Connection& connection, std::int64_t seq) {
  Scoped query = connection.use("SELECT coalesce(max(seq), 0) FROM executions WHERE seq < ?1");
  query->bind(1, seq);
  query->step();
  return query->integer(0);
}

/// One page that looks at rows by their numbers, newest first, and passes over zones that have nothing of what is
/// wanted. What it reads of a zone to know that for the next time counts as rows that it has looked at.
class Walk {
 public:
  Walk(Connection& connection, Zones& zones, std::int64_t tenant_id, const ListQuery& wanted, std::size_t rows_max)
      : connection_(connection),
        zones_(zones),
        tenant_id_(tenant_id),
        wanted_(wanted),
        marks_(sqlite::marks_of(tenant_id, wanted)),
        newest_(newest_before(connection, std::numeric_limits<std::int64_t>::max())),
        left_(static_cast<std::int64_t>(rows_max)) {}

  /// Up to one row more than a page has.
  Listed read(std::int64_t before, Searching* searching) {
    const std::size_t rows_wanted = wanted_.limit + 1;
    Listed listed;
    bool found_nothing = wanted_.cursor.has_value();  // in the zone before, or the page before went so far
    before_ = passed_over(newest_before(connection_, before) + 1);
    while (before_ > 1 && left_ > 0 && listed.rows.size() < rows_wanted && !listed.stopped_before) {
      if (marks_.empty()) before_ = look_at(before_, before_ - left_, rows_wanted, searching, listed);
      else if (found_nothing && learns(zones_.begin_of(before_))) learn(zones_.begin_of(before_));
      else {
        const std::size_t found_before = listed.rows.size();
        before_ = look_at(before_, zones_.begin_of(before_), rows_wanted, searching, listed);
        found_nothing = listed.rows.size() == found_before;
      }
      before_ = passed_over(before_);
    }
    return listed;
  }

  /// The newest row that was neither looked at nor passed over; 0 when there is none.
  std::int64_t newest_left() { return newest_before(connection_, before_); }

 private:
  /// Adds what fits of [from, before), as far as it may be looked at; gives where it begins.
  std::int64_t look_at(std::int64_t before, std::int64_t from, std::size_t rows_wanted, Searching* searching,
                       Listed& listed) {
    from = std::max({std::int64_t{1}, from, before - left_});
    Listed more =
        list_rows(connection_, tenant_id_, wanted_, {from, before, rows_wanted - listed.rows.size()}, searching);
    left_ -= before - from;
    listed.stopped_before = more.stopped_before;
    std::move(more.rows.begin(), more.rows.end(), std::back_inserter(listed.rows));
    return newest_before(connection_, from) + 1;
  }

  std::int64_t passed_over(std::int64_t before) const {
    return marks_.empty() ? before : zones_.pass_over(before, marks_);
  }
  bool learns(std::int64_t begin) const {
    return zones_.is_behind(begin, newest_) && !zones_.knows(begin) && zones_.has_room();
  }
  void learn(std::int64_t begin) {
    zones_.learn(connection_, begin);
    left_ -= before_ - begin;
  }

  Connection& connection_;
  Zones& zones_;
  const std::int64_t tenant_id_;
  const ListQuery& wanted_;
  const std::vector<sqlite::ZoneFilter::Mark> marks_;
  const std::int64_t newest_;
  std::int64_t before_ = 1;
  std::int64_t left_;  // rows that may still be looked at
};

/// Takes the rows off; `older` is the newest row that the page has not come to, 0 when there is none.
Page page_of(Listed listed, std::size_t limit, std::int64_t older, const Searching* searching) {
  Page page;
  if (searching != nullptr) searching->tell(page);
  if (listed.rows.size() > limit) {
    listed.rows.pop_back();
    page.next = std::to_string(listed.rows.back().seq);
  } else if (listed.stopped_before) {
    page.next = std::to_string(*listed.stopped_before + 1);
  } else if (older > 0) {
    page.next = std::to_string(older + 1);
  }
  for (ExecutionRow& row : listed.rows) page.executions.push_back(std::move(row.execution));
  return page;
}

}  // namespace

/// A cursor is the number of a row: the page has what is older. Numbers are never given twice and rows never move, so
/// whatever comes or goes meanwhile, nothing is shown twice or left out.
Result<Page> SqliteStore::list(const ListQuery& query) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (query.cursor) {
    const Result<std::int64_t> cursor = read_cursor(*query.cursor);
    if (!cursor) return pass_on(cursor.error());
    before = *cursor;
  }
  const auto tenant_id = inner_->tenants.find(query.tenant);
  if (!tenant_id) return Page{};
  std::optional<Searching> searching = Searching::begin(query, [this] { return now(); });
  Searching* const search = searching ? &*searching : nullptr;
  auto reader = inner_->readers.borrow();
  const sqlite::Snapshot snapshot(*reader);
  if (sqlite::is_by_number(query)) {
    Walk walk(*reader, inner_->zones, *tenant_id, query, inner_->list_rows_max);
    Listed listed = walk.read(before, search);
    return page_of(std::move(listed), query.limit, walk.newest_left(), search);
  }
  before = newest_before(*reader, before) + 1;
  const std::int64_t from = first_looked_at(*reader, *tenant_id, query, before, inner_->list_rows_max);
  Listed listed = list_rows(*reader, *tenant_id, query, {from, before, query.limit + 1}, search);
  return page_of(std::move(listed), query.limit, newest_before(*reader, from), search);
}

}  // namespace semel::store
