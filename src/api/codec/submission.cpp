#include "api/codec/submission.hpp"

#include "api/codec/fields.hpp"
#include "api/codec/retry.hpp"
#include "base/utf8.hpp"
#include "domain/names.hpp"
#include "engine/engine.hpp"

namespace semel::codec {
namespace {

using domain::Submission;
using json::Reader;

constexpr std::int64_t ttl_seconds_max = 3650LL * 24 * 3600;
constexpr std::int64_t head_start_seconds_max = 366LL * 24 * 3600;

/// What the members say before they are looked at together.
struct Draft {
  Submission submission;
  std::optional<std::string> task_id;
  bool has_namespace = false;
};

using Read = Result<void> (*)(Reader&, std::string_view, Draft&);

template <auto Member>
Result<void> name_into(Reader& reader, std::string_view field, Draft& draft) {
  Result<std::string> name = read_name(reader, field);
  if (!name) return pass_on(name.error());
  draft.submission.*Member = *std::move(name);
  return {};
}

template <auto Member, auto Parse, const std::string_view& Names>
Result<void> choice_into(Reader& reader, std::string_view field, Draft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  const auto value = Parse(*text);
  if (!value)
    return bad_request("{} has an unknown value '{}'; it must be one of {}", field, utf8_prefix(*text, 40), Names);
  draft.submission.*Member = *value;
  return {};
}

template <auto Member>
Result<void> time_into(Reader& reader, std::string_view field, Draft& draft) {
  const Result<Time> time = read_time(reader, field);
  if (!time) return pass_on(time.error());
  draft.submission.*Member = *time;
  return {};
}

template <auto Member>
Result<void> duration_into(Reader& reader, std::string_view field, Draft& draft) {
  const Result<Duration> duration = read_duration(reader, field);
  if (!duration) return pass_on(duration.error());
  draft.submission.*Member = *duration;
  return {};
}

Result<void> read_namespace(Reader& reader, std::string_view field, Draft& draft) {
  draft.has_namespace = true;
  return name_into<&Submission::namespace_>(reader, field, draft);
}

Result<void> read_version(Reader& reader, std::string_view field, Draft& draft) {
  Result<std::string> version = read_text(reader, field);
  if (!version) return pass_on(version.error());
  if (Result<void> fits = domain::check_version(*version); !fits) return fits;
  draft.submission.version = *std::move(version);
  return {};
}

Result<void> read_context(Reader& reader, std::string_view field, Draft& draft) {
  draft.submission.canonical_context.clear();
  const Result<std::string_view> context = reader.read_canonical(draft.submission.canonical_context);
  if (!context) return in_field(field, context.error());
  if (context->size() > domain::limits::context_bytes_max) {
    return refuse(ErrorCode::payload_too_large, "context is {} bytes long; at most {} are allowed", context->size(),
                  domain::limits::context_bytes_max);
  }
  draft.submission.context = *context;
  return {};
}

Result<std::string> read_key(Reader& reader, std::string_view field) {
  Result<std::string> key = read_text(reader, field);
  if (!key) return key;
  if (Result<void> fits = domain::check_key(field, *key); !fits) return pass_on(fits.error());
  return key;
}

Result<void> read_idempotency_key(Reader& reader, std::string_view field, Draft& draft) {
  Result<std::string> key = read_key(reader, field);
  if (!key) return pass_on(key.error());
  draft.submission.key = *std::move(key);
  return {};
}

Result<void> read_task_id(Reader& reader, std::string_view field, Draft& draft) {
  Result<std::string> key = read_key(reader, field);
  if (!key) return pass_on(key.error());
  draft.task_id = *std::move(key);
  return {};
}

Result<void> read_ttl(Reader& reader, std::string_view field, Draft& draft) {
  const Result<std::int64_t> seconds = read_integer(reader, field, 1, ttl_seconds_max);
  if (!seconds) return pass_on(seconds.error());
  draft.submission.ttl = std::chrono::seconds{*seconds};
  return {};
}

Result<void> read_task_uuid(Reader& reader, std::string_view field, Draft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  const auto id = domain::ExecutionId::parse(*text);
  if (!id || id->uuid.version() != 7 || !id->uuid.is_rfc_variant()) {
    return bad_request("task_uuid must be a UUIDv7 such as \"019bddae-b818-7d82-b7c5-bd42e5db27fc\"");
  }
  draft.submission.task_uuid = id;
  return {};
}

Result<void> read_priority(Reader& reader, std::string_view field, Draft& draft) {
  const Result<std::int64_t> priority = read_integer(reader, field, -100, 100);
  if (!priority) return pass_on(priority.error());
  draft.submission.priority = static_cast<int>(*priority);
  return {};
}

Result<void> read_head_start(Reader& reader, std::string_view field, Draft& draft) {
  const Result<std::int64_t> seconds = read_integer(reader, field, -head_start_seconds_max, head_start_seconds_max);
  if (!seconds) return pass_on(seconds.error());
  draft.submission.head_start = std::chrono::seconds{*seconds};
  return {};
}

Result<void> read_traceparent(Reader& reader, std::string_view field, Draft& draft) {
  Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  const auto is_lower_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  bool fits = text->size() == 55;
  for (std::size_t i = 0; fits && i < text->size(); ++i) {
    const bool dash = i == 2 || i == 35 || i == 52;
    fits = dash ? (*text)[i] == '-' : is_lower_hex((*text)[i]);
  }
  if (!fits) return bad_request("traceparent must be a W3C trace context: 00-<32 hex>-<16 hex>-<2 hex>, in lower case");
  draft.submission.traceparent = *std::move(text);
  return {};
}

Result<void> read_label(Reader& reader, const std::string& name, domain::Labels& labels) {
  if (Result<void> fits = domain::check_key("a label's name", name); !fits) return fits;
  for (const auto& [known, value] : labels) {
    if (known == name) return bad_request("labels: '{}' is given twice", name);
  }
  Result<std::string> value = read_text(reader, "labels");
  if (!value) return pass_on(value.error());
  if (value->size() > domain::limits::label_bytes_max) {
    return bad_request("labels: the value of '{}' is over {} bytes", name, domain::limits::label_bytes_max);
  }
  labels.emplace_back(name, *std::move(value));
  return {};
}

Result<void> read_labels(Reader& reader, std::string_view field, Draft& draft) {
  if (Result<void> begun = reader.begin_object(); !begun) return in_field(field, begun.error());
  while (true) {
    const Result<std::optional<std::string>> member = reader.next_member();
    if (!member) return in_field(field, member.error());
    if (!*member) return {};
    if (draft.submission.labels.size() == domain::limits::labels_max) {
      return bad_request("labels: at most {} are allowed", domain::limits::labels_max);
    }
    if (Result<void> read = read_label(reader, **member, draft.submission.labels); !read) return read;
  }
}

Result<void> read_wait(Reader& reader, std::string_view field, Draft& draft) {
  if (Result<void> read = duration_into<&Submission::wait>(reader, field, draft); !read) return read;
  if (*draft.submission.wait <= engine::limits::wait_max) return {};
  return bad_request("wait is {}; at most {} are allowed", to_text(*draft.submission.wait),
                     to_text(engine::limits::wait_max));
}

template <int MoreThanAttempts>
Result<void> read_attempts(Reader& reader, std::string_view field, Draft& draft) {
  const Result<std::int64_t> count =
      read_integer(reader, field, 1 - MoreThanAttempts, domain::limits::attempts_max - MoreThanAttempts);
  if (!count) return pass_on(count.error());
  const int attempts = static_cast<int>(*count) + MoreThanAttempts;
  const std::optional<int>& known = draft.submission.retry.max_attempts;
  if (known && *known != attempts) return bad_request("max_attempts and max_retries are both given and differ");
  draft.submission.retry.max_attempts = attempts;
  return {};
}

Result<void> read_retry_settings(Reader& reader, std::string_view field, Draft& draft) {
  return read_retry(reader, field, draft.submission.retry);
}

Result<void> read_timeout(Reader& reader, std::string_view field, Draft& draft) {
  const Result<std::int64_t> timeout = read_integer(reader, field, 1, domain::limits::timeout_max.count());
  if (!timeout) return pass_on(timeout.error());
  draft.submission.timeout = Duration{*timeout};
  return {};
}

/// A time, or a duration from the submission on.
Result<void> read_deadline(Reader& reader, std::string_view field, Draft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  draft.submission.deadline = parse_rfc3339(*text);
  if (draft.submission.deadline) return {};
  draft.submission.deadline_after = parse_duration(*text);
  if (draft.submission.deadline_after && *draft.submission.deadline_after > Duration{0}) return {};
  return bad_request("{} must be a time such as \"2026-01-20T12:30:00Z\", or a duration such as \"2h\"", field);
}

Result<void> read_concurrency_key(Reader& reader, std::string_view field, Draft& draft) {
  Result<std::string> key = read_text(reader, field);
  if (!key) return pass_on(key.error());
  if (Result<void> fits = domain::check_key(field, *key); !fits) return fits;
  draft.submission.concurrency_key = *std::move(key);
  return {};
}

constexpr FieldTable<Draft, 27> fields{{
    {"namespace", read_namespace},
    {"name", name_into<&Submission::name>},
    {"version", read_version},
    {"handler", name_into<&Submission::handler>},
    {"context", read_context},
    {"idempotency_key", read_idempotency_key},
    {"task_id", read_task_id},
    {"idempotency_key_ttl_seconds", read_ttl},
    {"task_uuid", read_task_uuid},
    {"queue", name_into<&Submission::queue>},
    {"priority", read_priority},
    {"priority_seconds", read_head_start},
    {"run_at", time_into<&Submission::run_at>},
    {"delay", duration_into<&Submission::delay>},
    {"reuse", choice_into<&Submission::reuse, domain::parse_reuse, domain::reuse_names>},
    {"on_duplicate", choice_into<&Submission::on_duplicate, domain::parse_on_duplicate, domain::on_duplicate_names>},
    {"on_payload_mismatch",
     choice_into<&Submission::on_payload_mismatch, domain::parse_on_mismatch, domain::on_mismatch_names>},
    {"requested_at", time_into<&Submission::requested_at>},
    {"traceparent", read_traceparent},
    {"labels", read_labels},
    {"wait", read_wait},
    {"max_attempts", read_attempts<0>},
    {"max_retries", read_attempts<1>},
    {"retry", read_retry_settings},
    {"timeout_ms", read_timeout},
    {"deadline", read_deadline},
    {"concurrency_key", read_concurrency_key},
}};

/// One key by up to three names.
Result<void> merge_keys(Draft& draft, const std::optional<std::string>& header_key) {
  std::optional<std::string>& key = draft.submission.key;
  if (key && draft.task_id && *key != *draft.task_id) {
    return bad_request("task_id is another name for idempotency_key; both are given and differ");
  }
  if (!key) key = draft.task_id;
  if (!header_key) return {};
  Result<std::string> from_header = decode_key_header(*header_key);
  if (!from_header) return pass_on(from_header.error());
  if (key && *key != *from_header)
    return bad_request("the Idempotency-Key header and the key in the body differ; send one of them");
  key = *std::move(from_header);
  return {};
}

Result<Submission> check_together(Draft draft) {
  const Submission& submission = draft.submission;
  if (submission.name && submission.handler) {
    return bad_request("name and handler are both given; name submits a template's task, handler an ad-hoc task");
  }
  if (!submission.name && !submission.handler) {
    return bad_request("name (of a registered template) or handler (for an ad-hoc task) is required");
  }
  if (!submission.name && draft.has_namespace) return bad_request("namespace needs a name");
  if (!submission.name && submission.version) return bad_request("version needs a name");
  if (submission.run_at && submission.delay) return bad_request("run_at and delay are both given; send one of them");
  return std::move(draft.submission);
}

}  // namespace

Result<std::string> decode_key_header(std::string_view value) {
  constexpr std::string_view what = "the Idempotency-Key header";
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  std::string key;
  if (value.empty() || value.front() != '"') {
    key = value;
  } else {
    std::size_t i = 1;
    for (; i < value.size() && value[i] != '"'; ++i) {
      const bool escaped = value[i] == '\\';
      if (escaped && (++i == value.size() || (value[i] != '"' && value[i] != '\\'))) {
        return bad_request("{} is not a valid RFC 8941 string: after \\ only \" or \\ may stand", what);
      }
      if (static_cast<unsigned char>(value[i]) > 0x7E)
        return bad_request("{} is not a valid RFC 8941 string: only ASCII may stand in quotes", what);
      key += value[i];
    }
    if (i + 1 != value.size())
      return bad_request("{} is not a valid RFC 8941 string: it must end with its closing quote", what);
  }
  if (Result<void> fits = domain::check_key(what, key); !fits) return pass_on(fits.error());
  return key;
}

Result<Submission> decode_submission(std::string_view body, const std::optional<std::string>& header_key) {
  Draft draft;
  if (Result<void> read = read_body(body, fields, draft); !read) return pass_on(read.error());
  if (Result<void> merged = merge_keys(draft, header_key); !merged) return pass_on(merged.error());
  return check_together(std::move(draft));
}

Result<std::vector<Result<Submission>>> decode_batch(std::string_view body) {
  if (body.empty()) body = "{}";  // as everywhere
  if (Result<void> grammar = json::check_grammar(body); !grammar) return pass_on(grammar.error());
  std::vector<Result<Submission>> submissions;
  constexpr FieldTable<std::vector<Result<Submission>>, 1> table{
      {{"tasks", [](Reader& reader, std::string_view field, auto& into) -> Result<void> {
          return read_elements(reader, field, [&](Reader& each) -> Result<void> {
            if (into.size() == engine::limits::batch_max)
              return bad_request("tasks: at most {} submissions are allowed in a batch", engine::limits::batch_max);
            const Result<std::string_view> element = each.read_raw();
            if (!element) return in_field(field, element.error());
            Result<Submission> submission = decode_submission(*element, std::nullopt);
            if (submission && submission->wait)
              submission = bad_request("wait is not allowed in a batch; ask for each result instead");
            into.push_back(std::move(submission));
            return {};
          });
        }}}};
  if (Result<void> read = read_body(body, table, submissions); !read) return pass_on(read.error());
  if (submissions.empty())
    return bad_request("tasks must be an array of 1 to {} submissions", engine::limits::batch_max);
  return submissions;
}

}  // namespace semel::codec
