#include "domain/workflow/steps_text.hpp"

#include "base/json/reader.hpp"
#include "base/json/writer.hpp"
#include "domain/workflow/check_steps.hpp"

namespace semel::domain {
namespace {

// ---- Writing. Durations are milliseconds, choices their numbers.

void write_place(json::Writer& writer, const Source& source) {
  if (!source.step.empty()) writer.string("step", source.step);
  writer.string("path", source.path.text());
}

void write_retry(json::Writer& writer, const RetrySettings& retry) {
  writer.key("retry").begin_object();
  if (retry.max_attempts) writer.integer("max_attempts", *retry.max_attempts);
  if (retry.backoff) writer.integer("backoff", static_cast<int>(*retry.backoff));
  if (retry.base) writer.integer("base", retry.base->count());
  if (retry.cap) writer.integer("cap", retry.cap->count());
  if (retry.jitter_percent) writer.integer("jitter", *retry.jitter_percent);
  writer.end_object();
}

void write_when(json::Writer& writer, const std::vector<Condition>& when) {
  writer.key("when").begin_array();
  for (const Condition& condition : when) {
    writer.begin_object();
    write_place(writer, condition.source);
    writer.integer("is", static_cast<int>(condition.comparison)).raw("to", condition.value).end_object();
  }
  writer.end_array();
}

void write_for_each(json::Writer& writer, const ForEach& for_each) {
  writer.key("for_each").begin_object();
  write_place(writer, for_each.over);
  if (for_each.max_parallel) writer.integer("max_parallel", *for_each.max_parallel);
  writer.integer("join", static_cast<int>(for_each.join)).end_object();
}

void write_step(json::Writer& writer, const Step& step) {
  writer.begin_object().string("name", step.name).string("handler", step.handler).string("queue", step.queue);
  if (!step.depends_on.empty()) {
    writer.key("depends_on").begin_array();
    for (const std::string& upstream : step.depends_on) writer.string(upstream);
    writer.end_array();
  }
  if (step.retry != RetrySettings{}) write_retry(writer, step.retry);
  if (step.timeout) writer.integer("timeout", step.timeout->count());
  if (step.idempotency_key) writer.string("key", step.idempotency_key->text());
  if (step.on_upstream_failure != OnUpstreamFailure::skip)
    writer.integer("on_upstream_failure", static_cast<int>(step.on_upstream_failure));
  if (!step.when.empty()) write_when(writer, step.when);
  if (step.for_each) write_for_each(writer, *step.for_each);
  writer.end_object();
}

// ---- Reading. Whoever finds something else than was written says so by returning false.

template <typename Target, typename T>
bool keep(Target& target, const Result<T>& value) {
  if (value) target = static_cast<Target>(*value);
  return value.has_value();
}

template <typename Number>
bool read_number(json::Reader& reader, std::optional<Number>& target) {
  const Result<std::int64_t> number = reader.read_integer();
  if (number) target = static_cast<Number>(*number);
  return number.has_value();
}

template <typename Enum>
bool read_choice(json::Reader& reader, Enum& target, Enum last) {
  const Result<std::int64_t> number = reader.read_integer();
  if (!number || *number < 0 || *number > static_cast<std::int64_t>(last)) return false;
  target = static_cast<Enum>(*number);
  return true;
}

/// `read(name)` reads the value of each member.
template <typename Read>
bool read_object(json::Reader& reader, Read read) {
  if (!reader.begin_object()) return false;
  while (true) {
    const auto name = reader.next_member();
    if (!name) return false;
    if (!*name) return true;
    if (!read(**name)) return false;
  }
}

template <typename Read>
bool read_list(json::Reader& reader, Read read) {
  if (!reader.begin_array()) return false;
  while (true) {
    const Result<bool> more = reader.next_element();
    if (!more) return false;
    if (!*more) return true;
    if (!read()) return false;
  }
}

bool read_path(json::Reader& reader, json::Pointer& target) {
  const Result<std::string> text = reader.read_string();
  return text && keep(target, json::Pointer::parse(*text));
}

bool read_retry_settings(json::Reader& reader, RetrySettings& retry) {
  return read_object(reader, [&](const std::string& name) {
    if (name == "max_attempts") return read_number(reader, retry.max_attempts);
    if (name == "backoff") return read_choice(reader, retry.backoff.emplace(), Backoff::fibonacci);
    if (name == "base") return read_number(reader, retry.base);
    if (name == "cap") return read_number(reader, retry.cap);
    return name == "jitter" && read_number(reader, retry.jitter_percent);
  });
}

bool read_condition(json::Reader& reader, Condition& condition) {
  return read_object(reader, [&](const std::string& name) {
    if (name == "step") return keep(condition.source.step, reader.read_string());
    if (name == "path") return read_path(reader, condition.source.path);
    if (name == "is") return read_choice(reader, condition.comparison, Comparison::exists);
    condition.value.clear();
    return name == "to" && reader.read_canonical(condition.value).has_value();
  });
}

bool read_for_each(json::Reader& reader, ForEach& for_each) {
  return read_object(reader, [&](const std::string& name) {
    if (name == "step") return keep(for_each.over.step, reader.read_string());
    if (name == "path") return read_path(reader, for_each.over.path);
    if (name == "max_parallel") return read_number(reader, for_each.max_parallel);
    return name == "join" && read_choice(reader, for_each.join, Join::settled);
  });
}

bool read_key(json::Reader& reader, std::optional<KeyTemplate>& key) {
  const Result<std::string> text = reader.read_string();
  return text && keep(key, KeyTemplate::parse(*text));
}

bool read_stored_step(json::Reader& reader, Step& step) {
  return read_object(reader, [&](const std::string& name) {
    if (name == "name") return keep(step.name, reader.read_string());
    if (name == "handler") return keep(step.handler, reader.read_string());
    if (name == "queue") return keep(step.queue, reader.read_string());
    if (name == "depends_on")
      return read_list(reader, [&] { return keep(step.depends_on.emplace_back(), reader.read_string()); });
    if (name == "retry") return read_retry_settings(reader, step.retry);
    if (name == "timeout") return read_number(reader, step.timeout);
    if (name == "key") return read_key(reader, step.idempotency_key);
    if (name == "on_upstream_failure") return read_choice(reader, step.on_upstream_failure, OnUpstreamFailure::run);
    if (name == "when") return read_list(reader, [&] { return read_condition(reader, step.when.emplace_back()); });
    return name == "for_each" && read_for_each(reader, step.for_each.emplace());
  });
}

}  // namespace

std::string encode_steps(std::span<const Step> steps) {
  json::Writer writer;
  writer.begin_array();
  for (const Step& step : steps) write_step(writer, step);
  return writer.end_array().take();
}

std::optional<std::vector<Step>> decode_steps(std::string_view text) {
  json::Reader reader(text);
  std::vector<Step> steps;
  const bool is_read = read_list(reader, [&] { return read_stored_step(reader, steps.emplace_back()); });
  if (!is_read || !reader.expect_end() || find_fault(steps)) return std::nullopt;
  return steps;
}

}  // namespace semel::domain
