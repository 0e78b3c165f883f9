#include "bench/filler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/json/canonical.hpp"
#include "domain/submission.hpp"

namespace semel::bench {
namespace {

constexpr std::size_t tasks_a_commit = 1'000;
constexpr const char* tenant_name = "default";

template <typename Add>
void in_groups(std::size_t count, const Add& add) {
  for (std::size_t first = 0; first < count; first += tasks_a_commit)
    add(first, std::min(tasks_a_commit, count - first));
}

}  // namespace

void Filler::add(const Tasks& tasks, std::size_t count) {
  in_groups(count, [&](std::size_t first, std::size_t some) { submit(tasks, first, some); });
}

void Filler::add_completed(const Tasks& tasks, std::size_t count) {
  in_groups(count, [&](std::size_t first, std::size_t some) {
    submit(tasks, first, some);
    complete(claim(some));
  });
}

void Filler::submit(const Tasks& tasks, std::size_t first, std::size_t count) {
  const domain::Principal principal{tenant_name, "open", domain::all_permissions};
  std::vector<Command> commands;
  for (std::size_t number = first; number < first + count; ++number) {
    domain::Submission submission;
    submission.handler = tasks.handler;
    submission.queue = queue_name;
    submission.key = fmt::format("{}{}", tasks.key_prefix, number);
    submission.context = context_of(number);
    submission.canonical_context = json::canonicalize(submission.context).value();
    const Time now = clock_.now();
    Result<domain::Plan> plan = domain::plan(std::move(submission), {principal, nullptr, {}, {ids_.next(now)}, now});
    Submit command{std::move(plan->spec), std::nullopt, tasks.delay};
    command.reuse = plan->reuse;
    commands.emplace_back(std::move(command));
  }
  for (const Outcome& outcome : store_->apply(commands).outcomes) {
    if (!std::holds_alternative<Created>(outcome))
      throw std::runtime_error("the store holds tasks of another benchmark: choose a new file");
  }
}

std::vector<Lease> Filler::claim(std::size_t count) {
  Claim command{tenant_name, "filler", {std::string(queue_name)}, {}, std::nullopt, domain::default_lease, {}};
  for (std::size_t i = 0; i < count; ++i) command.attempt_ids.push_back({ids_.next(clock_.now())});
  const Command commands[]{std::move(command)};
  return std::get<Claimed>(store_->apply(commands).outcomes.front()).leases;
}

void Filler::complete(const std::vector<Lease>& leases) {
  std::vector<Command> commands;
  for (const Lease& lease : leases)
    commands.emplace_back(Complete{tenant_name, lease.attempt_id, std::string(result_text)});
  store_->apply(commands);
}

}  // namespace semel::bench
