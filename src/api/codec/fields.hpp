#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/reader.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

/// Reading the members of a request's object one by one, with messages that name the field.
namespace semel::codec {

/// Puts "field: " before what the reader refused, so that "must be a string" says which.
inline tl::unexpected<Error> in_field(std::string_view field, const Error& error) {
  return tl::unexpected<Error>(Error{error.code, fmt::format("{}: {}", field, error.message)});
}

tl::unexpected<Error> unknown_field(std::string_view field, std::span<const std::string_view> known);

/// "priority is 500; it must be from -100 to 100"
Result<void> check_range(std::string_view field, std::int64_t value, std::int64_t min, std::int64_t max);

Result<std::string> read_text(json::Reader& reader, std::string_view field);
Result<std::int64_t> read_integer(json::Reader& reader, std::string_view field, std::int64_t min, std::int64_t max);
Result<bool> read_boolean(json::Reader& reader, std::string_view field);
Result<Duration> read_duration(json::Reader& reader, std::string_view field);
Result<Time> read_time(json::Reader& reader, std::string_view field);
Result<std::string> read_name(json::Reader& reader, std::string_view field);

/// Reads all members of the object that is the whole of `body` (an empty body is `{}`), each by the reader function of
/// its name. Refuses unknown and repeated members, and anything after the object. `Target` collects the values.
template <typename Target, std::size_t N>
using FieldTable =
    std::array<std::pair<std::string_view, Result<void> (*)(json::Reader&, std::string_view, Target&)>, N>;

template <typename Target, std::size_t N>
Result<void> read_members(json::Reader& reader, const FieldTable<Target, N>& table, Target& target) {
  if (Result<void> begun = reader.begin_object(); !begun) return begun;
  std::array<bool, N> seen{};
  while (true) {
    Result<std::optional<std::string>> member = reader.next_member();
    if (!member) return pass_on(member.error());
    if (!*member) return {};
    std::size_t index = 0;
    while (index < N && table[index].first != **member) ++index;
    if (index == N) {
      std::array<std::string_view, N> names;
      for (std::size_t i = 0; i < N; ++i) names[i] = table[i].first;
      return unknown_field(**member, names);
    }
    if (std::exchange(seen[index], true)) return bad_request("{} is given twice", **member);
    if (Result<void> read = table[index].second(reader, **member, target); !read) return read;
  }
}

template <typename Target, std::size_t N>
Result<void> read_body(std::string_view body, const FieldTable<Target, N>& table, Target& target) {
  if (body.empty()) return {};
  json::Reader reader(body);
  if (Result<void> read = read_members(reader, table, target); !read) return read;
  return reader.expect_end();
}

/// Reads an array, each element by `read_element(reader)`.
template <typename ReadElement>
Result<void> read_elements(json::Reader& reader, std::string_view field, ReadElement read_element) {
  if (Result<void> begun = reader.begin_array(); !begun) return in_field(field, begun.error());
  while (true) {
    const Result<bool> more = reader.next_element();
    if (!more) return in_field(field, more.error());
    if (!*more) return {};
    if (Result<void> read = read_element(reader); !read) return read;
  }
}

}  // namespace semel::codec
