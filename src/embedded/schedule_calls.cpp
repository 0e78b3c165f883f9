#include "api/codec/schedule.hpp"
#include "embedded/asking.hpp"
#include "embedded/engine_in_process.hpp"

/// What clients ask of the engine about schedules.
namespace semel::embedded {

sdk::Reply<void> EngineInProcess::put_schedule(const std::string& name, const std::string& document) {
  Result<domain::ScheduleDefinition> definition = codec::decode_schedule(name, document);
  if (!definition) return tl::unexpected(refusal_of(definition.error()));
  const auto stored = wait_for<Result<engine::ScheduleView>>(
      [&](auto answer) { engine_.put_schedule(principal_, *std::move(definition), std::move(answer)); });
  if (!stored) return tl::unexpected(refusal_of(stored.error()));
  return {};
}

sdk::Reply<void> EngineInProcess::remove_schedule(const std::string& name) {
  const auto removed = wait_for<Result<ScheduleRemoved>>(
      [&](auto answer) { engine_.remove_schedule(principal_, name, std::move(answer)); });
  if (!removed) return tl::unexpected(refusal_of(removed.error()));
  return {};
}

sdk::Reply<void> EngineInProcess::pause_schedule(const std::string& name, bool paused) {
  const auto stored = wait_for<Result<engine::ScheduleView>>(
      [&](auto answer) { engine_.pause_schedule(principal_, name, paused, std::move(answer)); });
  if (!stored) return tl::unexpected(refusal_of(stored.error()));
  return {};
}

sdk::Reply<sdk::Fired> EngineInProcess::run_schedule(const std::string& name, Time nominal) {
  return reply_of<sdk::Fired>(
      wait_for<Result<domain::FiringRecord>>(
          [&](auto answer) { engine_.run_schedule(principal_, name, nominal, std::move(answer)); }),
      [](const domain::FiringRecord& fired) { return sdk::Fired{fired.task ? fired.task->text() : "", fired.error}; });
}

}  // namespace semel::embedded
