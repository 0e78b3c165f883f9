#include "domain/workflow/code/course.hpp"

namespace semel::domain::code {
namespace {

/// The same execution goes on: what it has begun is dropped, and what is to be replayed begins here.
void continue_as_new(Course& course, Workflow& workflow, const WorkflowData& data, const ContinueAsNew& renewal,
                     std::int64_t seen) {
  Facts& facts = workflow.facts;
  const std::vector<std::string> unseen = data.signals_after(seen);
  course.drop_below();
  facts.history_bytes = 0;
  facts.first_event = facts.history_length + 1;
  facts.seen = facts.history_length;
  facts.first_command = facts.last_command + 1;
  course.note(HistoryKind::continued, "",
              command_text(facts.last_command).raw("input", renewal.input).end_object().take());
  for (const Signal& signal : renewal.signals) {
    json::Writer writer;
    writer.begin_object().string("name", signal.name).raw("value", signal.value);
    course.note(HistoryKind::signal_received, "", writer.end_object().take());
  }
  for (const std::string& detail : unseen) course.note(HistoryKind::signal_received, "", detail);
  course.decision.input = renewal.input;
  course.wake();
}

/// Nothing new is begun any more; only what has been done counts.
Decision end_under_cancellation(Workflow& workflow, const Answer& answer) {
  Course course(workflow);
  course.wait();
  const Complete* complete = answer.conclusion ? std::get_if<Complete>(&*answer.conclusion) : nullptr;
  if (complete != nullptr) course.end({State::completed, complete->result, std::nullopt});
  else course.end_if_nothing_is_left();
  return course.settle();
}

void conclude(Course& course, Workflow& workflow, const WorkflowData& data, const Answer& answer) {
  const Conclusion& conclusion = *answer.conclusion;
  if (const auto* complete = std::get_if<Complete>(&conclusion))
    course.end({State::completed, complete->result, std::nullopt});
  else if (const auto* fail = std::get_if<Fail>(&conclusion)) course.end({State::failed, std::nullopt, fail->error});
  else continue_as_new(course, workflow, data, std::get<ContinueAsNew>(conclusion), answer.seen);
}

}  // namespace

Result<Decision> end_activation(Workflow& workflow, const WorkflowData& data, const Answer& answer, Time now) {
  Facts& facts = workflow.facts;
  if (Result<void> fits = check_answer(workflow, data, answer); !fits) return pass_on(fits.error());
  if (facts.phase != RunPhase::open) return end_under_cancellation(workflow, answer);
  const bool has_more = facts.history_length > answer.seen;
  Course course(workflow);
  course.wait();
  for (const Command& command : answer.commands) {
    if (command.number <= facts.last_command) continue;
    if (Result<void> done = carry_out_command(course, workflow, data, command, now); !done)
      return pass_on(done.error());
    facts.last_command = command.number;
  }
  facts.open_children += std::ssize(course.decision.make);
  // What this answer has written need not be given to whoever goes on from here.
  facts.seen = has_more ? answer.seen : facts.history_length;
  if (answer.conclusion) conclude(course, workflow, data, answer);
  else if (has_more) course.wake();
  return course.settle();
}

}  // namespace semel::domain::code
