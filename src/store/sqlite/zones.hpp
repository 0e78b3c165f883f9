#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "ports/list.hpp"
#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

/// What rows have that a list may ask for: queues, handlers, namespaces, names, labels. Says of each that it is
/// certainly not there, or that it may be (a Bloom filter).
class ZoneFilter {
 public:
  using Mark = std::uint64_t;  // a hash of a tenant and what a row has

  explicit ZoneFilter(const std::vector<Mark>& marks);
  bool may_have(Mark mark) const;
  std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> words_;  // as many as a power of two
};

/// What a list asks for, where zones can tell.
std::vector<ZoneFilter::Mark> marks_of(std::int64_t tenant_id, const ListQuery& wanted);

/// The table of executions in zones of so many row numbers, and what the rows of each have. What a row has there never
/// changes and numbers only grow, so what was once learnt of a zone that is behind stays true: a row may go, none
/// comes. Nothing is kept for this on disk, and nothing is done when a row is written: a list that finds nothing in a
/// zone learns it, and the next ones pass over it. Callable from any thread.
class Zones {
 public:
  static constexpr std::size_t bytes_max = std::size_t{16} << 20;

  explicit Zones(std::size_t rows) : rows_(static_cast<std::int64_t>(rows)) {}

  /// Where the zone of the row before `before` begins.
  std::int64_t begin_of(std::int64_t before) const { return (before - 1) / rows_ * rows_; }
  /// Whether it has all the rows that it will ever have, when `newest` is the newest of all.
  bool is_behind(std::int64_t begin, std::int64_t newest) const { return begin + rows_ <= newest + 1; }

  /// Passes over the zones before `before` in which nothing has all of these marks; 1 when there is nothing older.
  std::int64_t pass_over(std::int64_t before, const std::vector<ZoneFilter::Mark>& wanted) const;
  bool knows(std::int64_t begin) const;
  /// Whether what is learnt of another one is kept.
  bool has_room() const;
  /// Reads all rows of a zone that is behind.
  void learn(Connection& connection, std::int64_t begin);

 private:
  const std::int64_t rows_;
  mutable std::mutex mutex_;  // guards all below
  std::map<std::int64_t, ZoneFilter> known_;
  std::size_t bytes_ = 0;
};

}  // namespace semel::store::sqlite
