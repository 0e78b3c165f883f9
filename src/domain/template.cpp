#include "domain/template.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace semel::domain {
namespace {

constexpr std::size_t version_chars_max = 64;

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

std::pair<std::string_view, std::string_view> split(std::string_view text, char at) {
  const std::size_t found = text.find(at);
  if (found == std::string_view::npos) return {text, {}};
  return {text.substr(0, found), text.substr(found + 1)};
}

std::vector<std::string_view> parts_of(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

struct Version {
  std::vector<std::string_view> numbers;
  std::string_view pre_release;
  std::string_view build;
};

Version read_version(std::string_view text) {
  const auto [rest, build] = split(text, '+');
  const auto [numbers, pre_release] = split(rest, '-');
  return {parts_of(numbers, '.'), pre_release, build};
}

bool is_number(std::string_view text) { return is_digits(text) && (text == "0" || text.front() != '0'); }

int sign(int value) { return (value > 0) - (value < 0); }

/// Decimal texts without leading zeros, of any length.
int compare_numbers(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  return sign(left.compare(right));
}

int compare_identifiers(std::string_view left, std::string_view right) {
  const bool left_is_number = is_digits(left);
  const bool right_is_number = is_digits(right);
  if (left_is_number && right_is_number) return compare_numbers(left, right);
  if (left_is_number != right_is_number) return left_is_number ? -1 : 1;
  return sign(left.compare(right));
}

int compare_pre_release(std::string_view left, std::string_view right) {
  if (left.empty() || right.empty()) return left.empty() == right.empty() ? 0 : (left.empty() ? 1 : -1);
  const auto lefts = parts_of(left, '.');
  const auto rights = parts_of(right, '.');
  for (std::size_t i = 0; i < std::min(lefts.size(), rights.size()); ++i) {
    const int order = compare_identifiers(lefts[i], rights[i]);
    if (order != 0) return order;
  }
  return sign(static_cast<int>(lefts.size()) - static_cast<int>(rights.size()));
}

bool identifiers_fit(std::string_view text, bool numbers_without_zeros) {
  const auto parts = parts_of(text, '.');
  return std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return is_identifier(part) && (!numbers_without_zeros || !is_digits(part) || is_number(part));
  });
}

}  // namespace

bool Template::is_workflow() const {
  if (steps.size() != 1) return !steps.empty();
  return !steps[0].when.empty() || steps[0].for_each || steps[0].idempotency_key;
}

Result<void> check_version(std::string_view text) {
  const Version version = read_version(text);
  const auto [before_build, build] = split(text, '+');
  const bool has_pre_release = before_build.find('-') != std::string_view::npos;
  const bool has_build = text.find('+') != std::string_view::npos;
  bool fits = text.size() <= version_chars_max && version.numbers.size() == 3;
  fits = fits && std::all_of(version.numbers.begin(), version.numbers.end(), is_number);
  fits = fits && (!has_pre_release || identifiers_fit(version.pre_release, true));
  fits = fits && (!has_build || identifiers_fit(version.build, false));
  if (fits) return {};
  return bad_request("version '{}' is not a semantic version such as \"1.2.0\"", utf8_prefix(text, version_chars_max));
}

int compare_versions(std::string_view left, std::string_view right) {
  const Version a = read_version(left);
  const Version b = read_version(right);
  for (std::size_t i = 0; i < std::min(a.numbers.size(), b.numbers.size()); ++i) {
    const int order = compare_numbers(a.numbers[i], b.numbers[i]);
    if (order != 0) return order;
  }
  const int order = compare_pre_release(a.pre_release, b.pre_release);
  return order != 0 ? order : sign(a.build.compare(b.build));
}

Uuid named_task_uuid(std::string_view tenant, std::string_view namespace_, std::string_view name) {
  static const Uuid space = Uuid::v5(uuid_namespace_dns(), "semel.identity");
  // None of the names can contain a slash, so that no two triples meet.
  std::string path(tenant);
  path.append("/").append(namespace_).append("/").append(name);
  return Uuid::v5(space, path);
}

}  // namespace semel::domain
