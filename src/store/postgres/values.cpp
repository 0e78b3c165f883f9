#include "store/postgres/values.hpp"

#include <libpq-fe.h>

#include <algorithm>

#include "base/ensure.hpp"

namespace semel::store::postgres {
namespace {

void append_int32(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>((value >> shift) & 0xFF));
}

}  // namespace

std::array<char, 8> big_endian(std::int64_t value) {
  std::array<char, 8> bytes{};
  const auto bits = static_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((bits >> (56 - 8 * i)) & 0xFF);
  return bytes;
}

ArrayType array_of(Type element) {
  switch (element) {
    case Type::boolean: return ArrayType::boolean;
    case Type::bytes: return ArrayType::bytes;
    case Type::integer: return ArrayType::integer;
    case Type::text: return ArrayType::text;
    case Type::uuid: return ArrayType::uuid;
  }
  ensure(false);
  return ArrayType::text;
}

void Array::append(Type type, std::string_view bytes) {
  ensure(type == element_);
  append_int32(elements_, static_cast<std::uint32_t>(bytes.size()));
  elements_ += bytes;
  count_ += 1;
}

Array& Array::add_null() {
  append_int32(elements_, 0xFFFFFFFF);
  has_null_ = true;
  count_ += 1;
  return *this;
}

/// Dimensions, whether there are nulls, the element's type, then the one dimension: its length, and where it begins.
std::string Array::bytes() const {
  std::string bytes;
  bytes.reserve(elements_.size() + 20);
  append_int32(bytes, count_ == 0 ? 0 : 1);
  append_int32(bytes, has_null_ ? 1 : 0);
  append_int32(bytes, static_cast<std::uint32_t>(element_));
  if (count_ == 0) return bytes;
  append_int32(bytes, static_cast<std::uint32_t>(count_));
  append_int32(bytes, 1);
  return bytes + elements_;
}

Parameters& Parameters::add(const Array& array) {
  const std::string& bytes = owned_.emplace_back(array.bytes());
  push(static_cast<std::uint32_t>(array.type()), bytes.data(), bytes.size());
  return *this;
}

void Parameters::append(Type type, std::string_view bytes) {
  const bool is_short_lived = type == Type::integer || type == Type::boolean;
  if (is_short_lived) bytes = owned_.emplace_back(bytes);
  push(static_cast<std::uint32_t>(type), bytes.empty() ? "" : bytes.data(), bytes.size());
}

void Parameters::push(std::uint32_t type, const char* data, std::size_t size) {
  types_.push_back(type);
  values_.push_back(data);
  lengths_.push_back(static_cast<int>(size));
  formats_.push_back(1);
}

bool Row::is_null(int column) const { return PQgetisnull(result_, row_, column) != 0; }

std::string_view Row::view(int column) const {
  return {PQgetvalue(result_, row_, column), static_cast<std::size_t>(PQgetlength(result_, row_, column))};
}

std::int64_t Row::integer(int column) const {
  const std::string_view bytes = view(column);
  if (bytes.empty()) return 0;
  std::uint64_t bits = (bytes[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes) bits = (bits << 8) | static_cast<std::uint8_t>(byte);
  return static_cast<std::int64_t>(bits);
}

Uuid Row::uuid(int column) const {
  const std::string_view bytes = view(column);
  Uuid uuid;
  ensure(bytes.size() == uuid.bytes.size());
  std::copy(bytes.begin(), bytes.end(), uuid.bytes.begin());
  return uuid;
}

Hash32 Row::hash(int column) const {
  const std::string_view bytes = view(column);
  Hash32 hash{};
  ensure(bytes.size() == hash.size());
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

std::optional<Time> Row::optional_time(int column) const {
  return is_null(column) ? std::nullopt : std::optional(time(column));
}
std::optional<std::string> Row::optional_text(int column) const {
  return is_null(column) ? std::nullopt : std::optional(text(column));
}
std::optional<Uuid> Row::optional_uuid(int column) const {
  return is_null(column) ? std::nullopt : std::optional(uuid(column));
}
std::optional<Hash32> Row::optional_hash(int column) const {
  return is_null(column) ? std::nullopt : std::optional(hash(column));
}
std::optional<domain::ExecutionId> Row::optional_id(int column) const {
  return is_null(column) ? std::nullopt : std::optional(domain::ExecutionId{uuid(column)});
}
std::optional<std::int64_t> Row::optional_integer(int column) const {
  return is_null(column) ? std::nullopt : std::optional(integer(column));
}

Rows::Rows(pg_result* result) : result_(result), count_(PQntuples(result)) {}
bool Rows::is_good() const {
  const ExecStatusType status = PQresultStatus(result_.get());
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}
void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }

}  // namespace semel::store::postgres
