#include "sdk/testing/stage.hpp"

#include <algorithm>
#include <set>

#include "base/json/writer.hpp"
#include "sdk/worker/attempt.hpp"
#include "sdk/workflow/recorded.hpp"

namespace semel::testkit {
namespace {

/// Some time; the same in every test.
constexpr Time stage_begin{std::chrono::milliseconds(1'700'000'000'000)};
constexpr Duration stage_lease = std::chrono::hours(24 * 365 * 10);

}  // namespace

detail::Closing WorkflowTest::Stage::run(const std::string& input, Death death) {
  begin(input);
  while (true) {
    const sdk::State state = server_->state(id_).value();
    if (is_closed(state.status)) return state.closing;
    if (!step(death)) wait();
  }
}

void WorkflowTest::Stage::begin(const std::string& input) {
  began_ = stage_begin;
  server_ = std::make_shared<sdk::MemoryBackend>(began_);
  worker_ = std::make_unique<sdk::Activations>(*server_, workflows, cached_workflows);
  const sdk::ClientWorld world{[server = server_] { return server->now(); }, [](Duration) {}};
  client_.emplace(std::make_shared<sdk::ClientCore>(server_, ClientOptions().retry_for(Duration::zero()), world));
  next_outside_ = outside.begin();
  tasks_done.clear();
  activations = 0;
  input_ = input;
  // The same id in every run, so that what is derived from it is the same as well.
  id_ = "018bcfe5-6800-7000-8000-000000000001";
  server_->start_workflow({id_, began_, kind_, "test", input, WorkflowOptions()}).value();
}

sdk::Poll WorkflowTest::Stage::poll_for(std::vector<std::string> handlers) const {
  // From whatever queue: a test is not about those.
  return {"test", "test", {{server_->used_queues(), std::move(handlers), 1}}, stage_lease, Duration::zero()};
}

bool WorkflowTest::Stage::step(Death death) {
  if (next_outside_ != outside.end() && next_outside_->first <= elapsed()) {
    (next_outside_++)->second(*client_);
    return true;
  }
  return activate(death) || do_task();
}

bool WorkflowTest::Stage::activate(Death death) {
  std::vector<std::string> handlers;
  for (const auto& [kind, function] : workflows) handlers.push_back("workflow:" + kind);
  const std::vector<sdk::Lease> leases = server_->poll(poll_for(std::move(handlers)), {}).value();
  if (leases.empty()) return false;
  const std::vector<sdk::Answer> answers{worker_->answer(leases.front())};
  if (const auto* failure = std::get_if<sdk::AttemptFailure>(&answers.front().what)) {
    throw NotDeterministic(failure->error);
  }
  const bool dies = ++activations == death.activation;
  if (dies && !death.has_answered) return die(), true;
  server_->answer(answers);
  if (dies) die();
  return true;
}

void WorkflowTest::Stage::die() {
  worker_ = std::make_unique<sdk::Activations>(*server_, workflows, cached_workflows);
  server_->end_leases();
}

bool WorkflowTest::Stage::do_task() {
  std::vector<std::string> handlers;
  for (const auto& [name, fake] : tasks) handlers.push_back(name);
  const std::vector<sdk::Lease> leases = server_->poll(poll_for(std::move(handlers)), {}).value();
  if (leases.empty()) return false;
  sdk::RunningTask task(leases.front());
  tasks_done.push_back(task.lease().handler);
  const std::vector<sdk::Answer> answers{sdk::attempt(tasks.at(task.lease().handler), task)};
  server_->answer(answers);
  return true;
}

void WorkflowTest::Stage::wait() {
  std::optional<Time> next = server_->next_time();
  if (next_outside_ != outside.end()) {
    const Time then = began_ + next_outside_->first;
    if (!next || then < *next) next = then;
  }
  if (!next) be_stuck();
  server_->advance_to(*next);
}

void WorkflowTest::Stage::be_stuck() const {
  std::map<std::uint64_t, std::string> open;
  for (const sdk::Event& event : server_->whole_history(id_)) {
    const sdk::Recorded recorded = sdk::read_event(event).value();
    if (recorded.what == sdk::Recorded::What::closed) open.erase(recorded.number);
    if (recorded.what != sdk::Recorded::What::asked || recorded.asked == sdk::Asked::marker) continue;
    open[recorded.number] = sdk::describe(recorded.asked, recorded.name);
    const bool has_fake = recorded.asked != sdk::Asked::task || tasks.contains(recorded.name);
    if (!has_fake) open[recorded.number] += ", which has no fake";
  }
  std::string text = "the workflow waits, and nothing will happen; what is open:";
  for (const auto& [number, what] : open) text += fmt::format(" {} (command {}),", what, number);
  throw Stuck(text + " or it waits for a signal");
}

std::string WorkflowTest::Stage::history() const {
  json::Writer writer;
  writer.begin_object().string("workflow_execution_id", id_).string("workflow_id", "test").string("kind", kind_);
  writer.raw("input", input_).key("events").begin_array();
  for (const sdk::Event& event : server_->whole_history(id_)) {
    writer.begin_object().integer("sequence", event.sequence).string("at", to_rfc3339(event.at));
    writer.string("kind", event.kind);
    if (!event.task_key.empty()) writer.string("task_key", event.task_key);
    if (!event.detail.empty()) writer.raw("detail", event.detail);
    writer.end_object();
  }
  return writer.end_array().end_object().take();
}

}  // namespace semel::testkit
