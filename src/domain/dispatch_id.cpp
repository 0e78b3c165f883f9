#include "domain/dispatch_id.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/sha256.hpp"

namespace semel::domain {
namespace {

constexpr std::size_t external_chars = 26;

std::string escape(std::string_view part) {
  std::string escaped;
  for (const char c : part) {
    if (c == ':') escaped += "%3A";
    else if (c == '%') escaped += "%25";
    else escaped += c;
  }
  return escaped;
}

}  // namespace

std::string external_id(std::string_view prefix, std::string_view internal) {
  static constexpr char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
  const Hash32 hash = sha256(internal);
  std::string id(prefix);
  std::uint32_t bits = 0;
  int count = 0;
  std::size_t byte = 0;
  for (std::size_t i = 0; i < external_chars; ++i) {
    if (count < 5) {
      bits = (bits << 8) | hash[byte++];
      count += 8;
    }
    count -= 5;
    id += alphabet[(bits >> count) & 31];
  }
  return id;
}

DispatchIds dispatch_ids(std::string_view run_id, std::string_view task_key, int attempt) {
  std::string internal = fmt::format("dispatch:{}:{}:{}", escape(run_id), escape(task_key), attempt);
  std::string external = external_id("d_", internal);
  return {std::move(internal), std::move(external)};
}

}  // namespace semel::domain
