#include "embedded/engine_in_process.hpp"

#include "api/codec/code_values.hpp"
#include "api/codec/schedule.hpp"
#include "api/codec/template_document.hpp"
#include "domain/names.hpp"
#include "domain/queue_option.hpp"
#include "embedded/asking.hpp"

namespace semel::embedded {
namespace {

engine::EngineOptions engine_options() {
  engine::EngineOptions options;
  options.read_template = [](const std::string& document) { return codec::decode_template_json(document); };
  options.read_schedule = [](const std::string& name, const std::string& document) {
    return codec::decode_schedule(name, document);
  };
  return options;
}

Result<void> set_option(domain::QueueOptions& options, std::string_view name, const std::optional<std::string>& text) {
  if (!text) return {};
  return domain::set_queue_option(options, name, *text);
}

template <typename T>
std::optional<std::string> text_of(const std::optional<T>& number) {
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

Result<void> set_options(domain::QueueOptions& options, const QueueSettings& settings) {
  const std::optional<std::string> retention =
      settings.retention() ? std::optional(to_text(*settings.retention())) : std::nullopt;
  const std::optional<std::string> paused =
      settings.paused() ? std::optional<std::string>(*settings.paused() ? "true" : "false") : std::nullopt;
  for (const auto& [name, text] : {std::pair{"retention", retention},
                                   {"rate_limit", settings.rate_limit()},
                                   {"max_running", text_of(settings.max_running())},
                                   {"max_running_per_key", text_of(settings.max_running_per_key())},
                                   {"paused", paused},
                                   {"dedup_window", settings.dedup_window()}}) {
    if (Result<void> set = set_option(options, name, text); !set) return set;
  }
  if (settings.reuse()) options.reuse = static_cast<domain::Reuse>(*settings.reuse());
  return domain::check(options);
}

}  // namespace

EngineInProcess::EngineInProcess(std::unique_ptr<Store> store, std::string tenant)
    : principal_{std::move(tenant), "embedded", domain::all_permissions},
      store_(std::move(store)),
      engine_(*store_, engine_options()) {}

EngineInProcess::~EngineInProcess() { engine_.stop_waiting(); }

std::vector<sdk::Reply<sdk::Submitted>> EngineInProcess::submit_all(
    std::vector<Result<domain::Submission>> submissions) {
  const auto answers = wait_for<std::vector<engine::SubmitAnswer>>(
      [&](auto answer) { engine_.submit_batch(principal_, std::move(submissions), std::move(answer)); });
  std::vector<sdk::Reply<sdk::Submitted>> replies;
  for (const engine::SubmitAnswer& answer : answers) replies.push_back(submitted_of(answer));
  return replies;
}

std::vector<sdk::Reply<sdk::Submitted>> EngineInProcess::submit(std::span<const sdk::Submission> submissions) {
  std::vector<Result<domain::Submission>> read;
  for (const sdk::Submission& submission : submissions) read.push_back(read_task(submission));
  return submit_all(std::move(read));
}

sdk::Reply<sdk::Submitted> EngineInProcess::start_workflow(const sdk::WorkflowStart& start) {
  std::vector<Result<domain::Submission>> one;
  one.push_back(read_workflow(start));
  return submit_all(std::move(one)).front();
}

sdk::Reply<sdk::Submitted> EngineInProcess::create_promise(const sdk::PromiseRequest& request) {
  std::vector<Result<domain::Submission>> one;
  one.push_back(read_promise(request));
  return submit_all(std::move(one)).front();
}

void EngineInProcess::await_result(const std::string& id, Duration wait,
                                   std::function<void(sdk::Reply<sdk::State>)> then) {
  const auto execution = domain::ExecutionId::parse(id);
  if (!execution) return then(sdk::refused("BAD_REQUEST", "'" + id + "' is not a UUID"));
  engine_.await_result(principal_, *execution, std::min(wait, engine::limits::wait_max),
                       [then = std::move(then)](const Result<engine::ResultView>& view) {
                         then(reply_of<sdk::State>(view, [](const engine::ResultView& is) {
                           const Status status = status_of(is.state);
                           return sdk::State{status, {status, is.result, is.error.value_or("")}};
                         }));
                       });
}

Result<domain::ExecutionId> EngineInProcess::find(const sdk::Target& target) {
  if (target.id.empty()) {
    engine::Engine::KeyQuery query;
    query.key = target.key;
    const Result<engine::KeyView> view = engine_.find_by_key(principal_, query);
    if (!view) return pass_on(view.error());
    return view->held.holder.id;
  }
  const auto id = domain::ExecutionId::parse(target.id);
  if (!id) return bad_request("'{}' is not a UUID", target.id);
  return *id;
}

sdk::Reply<std::optional<std::string>> EngineInProcess::custom_status(const sdk::Target& workflow) {
  const Result<domain::ExecutionId> id = find(workflow);
  if (!id) return tl::unexpected(refusal_of(id.error()));
  return reply_of<std::optional<std::string>>(engine_.workflow(principal_, *id),
                                              [](const engine::WorkflowView& view) { return view.workflow.status; });
}

sdk::Reply<bool> EngineInProcess::signal(const sdk::SignalRequest& request) {
  const Result<domain::ExecutionId> id = find(request.workflow);
  if (!id) return tl::unexpected(refusal_of(id.error()));
  Result<domain::code::Signal> read = codec::read_signal(request.name, request.value);
  if (!read) return tl::unexpected(refusal_of(read.error()));
  engine::Engine::SignalRequest signal{*std::move(read), std::nullopt};
  if (!request.key.empty()) {
    const Result<void> fits = domain::check_key("key", request.key);
    if (!fits) return tl::unexpected(refusal_of(fits.error()));
    signal.key = request.key;
  }
  return reply_of<bool>(wait_for<Result<bool>>([&](auto answer) {
                          engine_.signal(principal_, *id, std::move(signal), std::move(answer));
                        }),
                        [](bool received) { return received; });
}

sdk::Reply<bool> EngineInProcess::settle_promise(const sdk::Settlement& settlement) {
  engine::Engine::SettleRequest request;
  if (settlement.promise.id.empty()) {
    request.promise = settlement.promise.key;
  } else {
    const Result<domain::ExecutionId> id = find(settlement.promise);
    if (!id) return tl::unexpected(refusal_of(id.error()));
    request.promise = *id;
  }
  const auto* kept = std::get_if<sdk::EndWith>(&settlement.how);
  request.resolves = kept != nullptr;
  Result<std::string> value = codec::read_payload(
      "value", kept != nullptr ? kept->result.value_or("null") : std::get<sdk::FailWith>(settlement.how).error);
  if (!value) return tl::unexpected(refusal_of(value.error()));
  request.value = *std::move(value);
  return reply_of<bool>(wait_for<Result<SettleAnswer>>(
                            [&](auto answer) { engine_.settle(principal_, std::move(request), std::move(answer)); }),
                        [](const SettleAnswer& settled) { return settled.kind == SettleAnswer::Kind::settled; });
}

sdk::Reply<Status> EngineInProcess::cancel(const sdk::CancelRequest& request) {
  const Result<domain::ExecutionId> id = find(request.execution);
  if (!id) return tl::unexpected(refusal_of(id.error()));
  return reply_of<Status>(wait_for<Result<CancelAnswer>>([&](auto answer) {
                            engine_.cancel(principal_, *id, {request.force, request.why}, std::move(answer));
                          }),
                          [](const CancelAnswer& answer) { return status_of(*answer.state); });
}

sdk::Reply<void> EngineInProcess::configure_queue(const std::string& name, const QueueSettings& settings) {
  Result<engine::QueueView> view = engine_.queue(principal_, name);
  if (!view) return tl::unexpected(refusal_of(view.error()));
  if (Result<void> set = set_options(view->said, settings); !set) return tl::unexpected(refusal_of(set.error()));
  const auto stored = wait_for<Result<engine::QueueView>>(
      [&](auto answer) { engine_.put_queue(principal_, name, view->said, std::move(answer)); });
  if (!stored) return tl::unexpected(refusal_of(stored.error()));
  return {};
}

sdk::Reply<sdk::HistoryPage> EngineInProcess::history(const std::string& workflow, std::uint64_t after, int limit) {
  const auto id = domain::ExecutionId::parse(workflow);
  if (!id) return sdk::refused("BAD_REQUEST", "'" + workflow + "' is not a UUID");
  return reply_of<sdk::HistoryPage>(
      engine_.history(principal_, *id, static_cast<std::int64_t>(after), static_cast<std::size_t>(limit)),
      [](const engine::HistoryView& view) {
        sdk::HistoryPage page;
        for (const HistoryEntry& entry : view.entries) page.events.push_back(event_of(entry));
        page.has_more = view.next.has_value();
        return page;
      });
}

}  // namespace semel::embedded
