#include "parquet/reader.hpp"

#include <cstring>
#include <utility>

#include "base/ensure.hpp"

namespace semel::parquet {

bool Reader::seek(std::string_view tenant, std::string_view id) {
  if (!std::exchange(is_begun_, true)) next();
  const std::pair wanted(tenant, id);
  while (row_ && std::pair(text(0), text(1)) < wanted) next();
  return row_ && std::pair(text(0), text(1)) == wanted;
}

std::optional<Time> Reader::optional_time(std::size_t field) const {
  return has(field) ? std::optional(time(field)) : std::nullopt;
}

Uuid Reader::uuid(std::size_t field) const {
  const std::string_view bytes = text(field);
  Uuid uuid;
  ensure(bytes.size() == uuid.bytes.size());
  std::memcpy(uuid.bytes.data(), bytes.data(), bytes.size());
  return uuid;
}

}  // namespace semel::parquet
