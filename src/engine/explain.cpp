#include "engine/engine.hpp"

namespace semel::engine {
namespace {

/// Whoever a submission would meet: by its client-made id first, then by its identity. Only the store knows how long an
/// id is promised, so the first is asked for as a submission asks.
std::optional<Held> find_met(Store& store, const domain::Plan& plan) {
  const domain::ExecutionSpec& spec = plan.spec;
  if (spec.client_made_id) {
    Submit submit;
    submit.spec = spec;
    submit.reuse = plan.reuse;
    Submit* const command = &submit;
    std::optional<Held> held = std::move(store.probe({&command, 1}).front());
    if (held && held->by_id) return held;
  }
  if (spec.identity.mode == domain::Mode::none) return std::nullopt;
  return store.find_holder(spec.tenant, spec.identity.hash);
}

}  // namespace

Result<ExplainView> Engine::explain(const domain::Principal& principal, domain::Submission submission) {
  if (Result<void> allowed = require(principal, domain::Permission::tasks_create); !allowed)
    return pass_on(allowed.error());
  Result<TemplateRegistry::Shared> template_ = find_template(principal, submission);
  if (!template_) return pass_on(template_.error());
  const std::string canonical = submission.canonical_context;
  const Time now = store_.now();
  const domain::QueueSettings queue =
      queues_.settings(principal.tenant, domain::choose_queue(submission, template_->get()));
  Result<domain::Plan> plan =
      domain::plan(std::move(submission), {principal, template_->get(), queue, {ids_.next(now)}, now});
  if (!plan) return pass_on(plan.error());
  std::optional<Held> met = find_met(store_, *plan);
  const bool readable = met && domain::may_read(principal, met->holder.created_by);
  ExplainView view;
  view.explanation =
      domain::explain(*plan, met ? std::optional(met->holder) : std::nullopt, met && met->by_id, readable, now);
  if (readable) {
    if (view.explanation.answer == domain::DuplicateAnswer::other_payload && met->execution) {
      view.pointers = differing_from(met->execution->spec, canonical, template_->get());
    }
    view.held = std::move(met);
  }
  view.plan = *std::move(plan);
  return view;
}

}  // namespace semel::engine
