#include "api/codec/view_texts.hpp"

#include "domain/workflow/code/names.hpp"

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

std::string_view shown_handler(std::string_view handler) {
  return handler == domain::code::promise_handler ? "" : domain::code::kind_of_workflow(handler);
}

domain::DispatchIds dispatch_ids_of(const domain::Execution& execution, int attempt) {
  return domain::dispatch_ids_of(execution.spec, attempt);
}

const StoredDispatch* pushed_in(const engine::TaskView& view, int attempt) {
  for (const StoredDispatch& each : view.dispatches) {
    if (each.dispatch.attempt == attempt) return &each;
  }
  return nullptr;
}

}  // namespace semel::codec
