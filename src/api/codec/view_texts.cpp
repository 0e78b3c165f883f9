#include "api/codec/view_texts.hpp"

namespace semel::codec {

std::string window_text(const domain::Window& window) {
  switch (window.kind) {
    case domain::Window::Kind::after_creation: return to_text(window.length) + " after creation";
    case domain::Window::Kind::after_closing: return to_text(window.length) + " after closing";
    case domain::Window::Kind::forever: break;
  }
  return "forever";
}

std::string_view action_name(domain::Explanation::Action action) {
  switch (action) {
    case domain::Explanation::Action::create: return "create";
    case domain::Explanation::Action::take_over: return "take_over";
    case domain::Explanation::Action::duplicate: return "duplicate";
    case domain::Explanation::Action::same_id: return "same_id";
  }
  return "";
}

std::string scope_text(const domain::Plan& plan) {
  const domain::Scope scope = plan.spec.identity.scope;
  if (scope == domain::Scope::queue || scope == domain::Scope::tenant) return plan.scope_value;
  return to_hex(reinterpret_cast<const std::uint8_t*>(plan.scope_value.data()), plan.scope_value.size());
}

engine::SubmitAnswer would_answer(const engine::ExplainView& view) {
  if (!view.explanation.answer) return engine::NewTask{};
  engine::DuplicateTask duplicate;
  duplicate.answer = *view.explanation.answer;
  if (view.held) duplicate.held = *view.held;
  return duplicate;
}

domain::DispatchIds dispatch_ids_of(const domain::Execution& execution, int attempt) {
  return domain::dispatch_ids(execution.spec.id.text(), execution.spec.handler, attempt);
}

}  // namespace semel::codec
