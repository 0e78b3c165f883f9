#include "parquet/output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/ensure.hpp"
#include "base/uuid.hpp"
#include "domain/identity.hpp"
#include "domain/kind.hpp"
#include "domain/state.hpp"
#include "domain/window.hpp"
#include "domain/workflow/history.hpp"
#include "store/common/texts.hpp"

namespace semel::parquet {
namespace {

bool is_absent(const Value& value) { return std::holds_alternative<std::monostate>(value); }

std::string_view window_name(domain::Window::Kind kind) {
  switch (kind) {
    case domain::Window::Kind::after_creation: return "after_creation";
    case domain::Window::Kind::after_closing: return "after_closing";
    case domain::Window::Kind::forever: return "forever";
  }
  ensure(false);
  return "";
}

/// Numbers of enumerations are stored, their names exported.
template <typename Enumeration>
void as_name(Output& output, const Value& number) {
  if (is_absent(number)) output.add(Value());
  else output.add(Value(name_of(static_cast<Enumeration>(std::get<std::int64_t>(number)))));
}

}  // namespace

void as_it_is(Output& output, const Value& stored) { output.add(stored); }

void as_uuid(Output& output, const Value& bytes) {
  if (is_absent(bytes)) return void(output.add(Value()));
  const auto text = std::get<std::string_view>(bytes);
  Uuid uuid;
  ensure(text.size() == uuid.bytes.size());
  std::copy(text.begin(), text.end(), uuid.bytes.begin());
  output.keep(uuid.text());
}

void as_hex(Output& output, const Value& bytes) {
  if (is_absent(bytes)) return void(output.add(Value()));
  const auto text = std::get<std::string_view>(bytes);
  output.keep(to_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

void as_text(Output& output, const Value& text) {
  const auto* const view = std::get_if<std::string_view>(&text);
  output.add(view != nullptr && view->empty() ? Value() : text);
}

void as_kind(Output& output, const Value& number) { as_name<domain::Kind>(output, number); }
void as_state(Output& output, const Value& number) { as_name<domain::State>(output, number); }
void as_identity_mode(Output& output, const Value& number) { as_name<domain::Mode>(output, number); }
void as_window_kind(Output& output, const Value& number) {
  output.add(Value(window_name(static_cast<domain::Window::Kind>(std::get<std::int64_t>(number)))));
}
void as_history_kind(Output& output, const Value& number) { as_name<domain::HistoryKind>(output, number); }

domain::RetryPolicy read_retry(const Value& text) {
  return is_absent(text) ? domain::RetryPolicy() : store::read_retry(std::get<std::string_view>(text));
}

void as_retry(Output& output, const Value& text) {
  const domain::RetryPolicy retry = read_retry(text);
  output.keep(fmt::format(R"({{"max_attempts":{},"backoff":"{}","base_ms":{},"cap_ms":{},"jitter_percent":{}}})",
                          retry.max_attempts, domain::name_of(retry.backoff), retry.base.count(), retry.cap.count(),
                          retry.jitter_percent));
}

}  // namespace semel::parquet
