#include "store/common/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/ensure.hpp"
#include "base/json/reader.hpp"
#include "base/json/text.hpp"

namespace semel::store {

std::string retry_text(const domain::RetryPolicy& retry) {
  return fmt::format("{} {} {} {} {}", retry.max_attempts, static_cast<int>(retry.backoff), retry.base.count(),
                     retry.cap.count(), retry.jitter_percent);
}

domain::RetryPolicy read_retry(std::string_view text) {
  std::array<std::int64_t, 5> parts{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::int64_t& part : parts) {
    const auto read = std::from_chars(at, end, part);
    ensure(read.ec == std::errc{});
    at = read.ptr == end ? end : read.ptr + 1;
  }
  return {static_cast<int>(parts[0]), static_cast<domain::Backoff>(parts[1]), Duration{parts[2]}, Duration{parts[3]},
          static_cast<int>(parts[4])};
}

std::string label_text(const domain::Labels::value_type& label) {
  std::string text;
  json::append_string(label.first, text);
  text += ':';
  json::append_string(label.second, text);
  return text;
}

std::string labels_text(const domain::Labels& labels) {
  std::string text = "{";
  for (const auto& label : labels) {
    if (text.size() > 1) text += ',';
    text += label_text(label);
  }
  return text + "}";
}

domain::Labels read_labels(std::string_view text) {
  domain::Labels labels;
  json::Reader reader(text);
  ensure(reader.begin_object().has_value());
  while (auto member = reader.next_member().value()) labels.emplace_back(*member, reader.read_string().value());
  return labels;
}

bool has_labels(const domain::Labels& labels, const domain::Labels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& each) { return std::count(labels.begin(), labels.end(), each) > 0; });
}

std::string hits_text(const std::vector<DuplicateHit>& hits) {
  nlohmann::json array = nlohmann::json::array();
  for (const DuplicateHit& hit : hits) array.push_back({to_ms(hit.at), hit.key_id, hit.answer});
  return array.dump();
}

std::vector<DuplicateHit> read_hits(std::string_view text) {
  std::vector<DuplicateHit> hits;
  for (const nlohmann::json& hit : nlohmann::json::parse(text)) {
    hits.push_back(
        {from_ms(hit.at(0).get<std::int64_t>()), hit.at(1).get<std::string>(), hit.at(2).get<std::string>()});
  }
  return hits;
}

}  // namespace semel::store
