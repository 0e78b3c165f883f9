#include "api/grpc/fields.hpp"

#include <map>

#include "api/codec/retry.hpp"
#include "api/codec/work_values.hpp"

namespace semel::rpc {

Result<void> set_context(std::string_view field, const std::string& json, codec::SubmissionDraft& draft) {
  std::string canonical;
  const Result<std::string_view> text = codec::read_value(field, json, canonical);
  if (!text) return pass_on(text.error());
  if (Result<void> fits = codec::check_payload(field, text->size()); !fits) return fits;
  return draft.set_context(*text, std::move(canonical));
}

/// A map of protobuf has no order; what is stored shall not depend on chance.
Result<void> add_labels(const google::protobuf::Map<std::string, std::string>& labels, codec::SubmissionDraft& draft) {
  const std::map<std::string, std::string> ordered(labels.begin(), labels.end());
  for (const auto& [name, value] : ordered) {
    if (Result<void> added = draft.add_label(name, value); !added) return added;
  }
  return {};
}

Result<void> read_retry(const v1::Retry& retry, domain::RetrySettings& settings) {
  if (Result<void> known = check_known(retry); !known) return known;
  const auto pause = [](const char* name, const std::optional<Duration>& value) -> Result<void> {
    return value ? codec::check_pause(name, *value) : Result<void>{};
  };
  return Fields()
      .choice("retry: backoff", retry.backoff(), v1::Backoff_MAX, settings.backoff)
      .moment(retry.has_base(), "retry: base", retry.base(), settings.base)
      .moment(retry.has_cap(), "retry: cap", retry.cap(), settings.cap)
      .field(retry.has_jitter(),
             [&]() -> Result<void> {
               const Result<int> percent = codec::parts_of("retry: jitter", retry.jitter(), 100);
               if (!percent) return pass_on(percent.error());
               settings.jitter_percent = *percent;
               return {};
             })
      .field(true, [&] { return pause("retry: base", settings.base); })
      .field(true, [&] { return pause("retry: cap", settings.cap); })
      .field(true,
             [&]() -> Result<void> {
               const Result<void> fits = domain::check(settings);
               return fits ? fits : Result<void>(codec::in_field("retry", fits.error()));
             })
      .fits();
}

}  // namespace semel::rpc
