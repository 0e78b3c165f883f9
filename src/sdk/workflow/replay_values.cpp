#include <charconv>
#include <cstring>
#include <stdexcept>

#include "base/json/reader.hpp"
#include "base/json/writer.hpp"
#include "base/sha256.hpp"
#include "base/uuid.hpp"
#include "sdk/workflow/replay.hpp"

// Values that a replay must find again: side effects, versions, random numbers.
namespace semel::sdk {
namespace {

/// {"result": …} or {"error": {…}}.
std::string marker_text(const detail::Closing& closing) {
  json::Writer writer;
  writer.begin_object();
  if (closing.status != Status::completed) writer.raw("error", closing.error);
  else if (closing.result) writer.raw("result", *closing.result);
  return writer.end_object().take();
}

Result<detail::Closing> read_marker(std::string_view text) {
  detail::Closing closing;
  json::Reader reader(text);
  if (const Result<void> begun = reader.begin_object(); !begun) return pass_on(begun.error());
  while (true) {
    const Result<std::optional<std::string>> key = reader.next_member();
    if (!key) return pass_on(key.error());
    if (!*key) return closing;
    const Result<std::string_view> value = reader.read_raw();
    if (!value) return pass_on(value.error());
    if (**key == "result") closing.result.emplace(*value);
    if (**key == "error") closing = {Status::failed, std::nullopt, std::string(*value)};
  }
}

}  // namespace

std::optional<detail::Closing> Replay::begin_run(std::string_view name) {
  expect_outside_run();
  number_drafts();
  const std::optional<Known> known = take_recorded(Asked::marker, name);
  if (!known) {
    is_in_run_ = true;
    return std::nullopt;
  }
  ++next_;
  const Result<detail::Closing> closing = read_marker(known->value);
  if (!closing) abandon("unreadable_history", fmt::format("marker '{}': {}", name, closing.error().message));
  return *closing;
}

detail::Closing Replay::end_run(std::string_view name, detail::Closing closing) {
  is_in_run_ = false;
  issue(Record{std::string(name), marker_text(closing)});
  return closing;
}

int Replay::version(std::string_view change, int min, int max) {
  expect_outside_run();
  number_drafts();
  if (const auto found = versions_.find(change); found != versions_.end()) return found->second;

  const std::string name = fmt::format("version:{}", change);
  const auto next = recorded_.find(next_);
  int version = min;  // the code had come past this place before there was a choice
  if (next != recorded_.end() && next->second.asked == Asked::marker && next->second.name == name) {
    const std::string& text = next->second.value;
    std::from_chars(text.data(), text.data() + text.size(), version);
    recorded_.erase(next);
    ++next_;
  } else if (next_ > last_recorded_ && next_ > known_) {
    version = max;
    issue(Record{name, std::to_string(max)});
  }
  if (version < min || version > max) {
    abandon("unsupported_version",
            fmt::format("the history has version {} of change '{}', the code has {} to {}", version, change, min, max));
  }
  versions_.emplace(change, version);
  return version;
}

/// Evenly spread, the same in every replay, and another one for each call and each generation.
Hash32 Replay::next_hash(std::string_view purpose) {
  const std::string place = fmt::format("{}:{}", identity_.from, ++hashes_);
  return Sha256().update(purpose).update(identity_.execution_id).update(":").update(place).finish();
}

std::string Replay::uuid() {
  const Hash32 hash = next_hash("semel.workflow.uuid.v1:");
  Uuid uuid;
  std::memcpy(uuid.bytes.data(), hash.data(), uuid.bytes.size());
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0F) | 0x80);  // version 8: made in a way of our own
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3F) | 0x80);  // the variant of RFC 9562
  return uuid.text();
}

std::uint64_t Replay::random() {
  const Hash32 hash = next_hash("semel.workflow.random.v1:");
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof bits; ++i) bits = (bits << 8) | hash[i];
  return bits;
}

}  // namespace semel::sdk
