#pragma once
#include <string>
#include <vector>

#include "base/json/writer.hpp"
#include "domain/dispatch_id.hpp"
#include "engine/answers.hpp"
#include "engine/engine.hpp"

/// The engine's answers as bytes. Texts that are JSON already go in as they are.
namespace semel::codec {

struct Encoded {
  int status = 200;
  std::string body;
};

Encoded encode_submit(const engine::SubmitAnswer& answer);
Encoded encode_batch(const std::vector<engine::SubmitAnswer>& answers);
Encoded encode_refusal(const Error& error);

/// Of a workflow that is written as code.
Encoded encode_started(const engine::SubmitAnswer& answer);
Encoded encode_workflow(const engine::WorkflowView& view);
/// Whoever has a workflow_id; without the workflow when only its tombstone is left.
Encoded encode_found_workflow(const engine::KeyView& holder, const engine::WorkflowView* view);
/// Whether it was news.
Encoded encode_signalled(bool received);

Encoded encode_promised(const engine::SubmitAnswer& answer);
Encoded encode_promise(const domain::Execution& promise);
Encoded encode_settled(const SettleAnswer& answer);

Encoded encode_task(const engine::TaskView& view);
Encoded encode_graph(const engine::RunView& view);
std::string encode_mermaid(const engine::RunView& view);
Encoded encode_history(const engine::HistoryView& view);
Encoded encode_key(const engine::KeyView& view);
/// Closed → 200, still open → 202.
Encoded encode_result(const engine::ResultView& view);
Encoded encode_explain(const engine::ExplainView& view);
Encoded encode_released(const Released& released);
/// `id_name` is what the id is called.
Encoded encode_cancel(domain::ExecutionId id, const CancelAnswer& answer, std::string_view id_name = "task_uuid");
/// Of what was changed by hand.
Encoded encode_state(domain::ExecutionId id, domain::State state);
Encoded encode_leases(const std::vector<Lease>& leases);
/// As a member of an object that is being written.
void write_leases(json::Writer& writer, const std::vector<Lease>& leases);
/// The members of one, of an object that is being written.
void write_lease(json::Writer& writer, const Lease& lease, const domain::DispatchIds& ids);
Encoded encode_attempt(const AttemptAnswer& answer);
Encoded encode_heartbeat(const AttemptAnswer& answer);
/// The secret is in this answer and nowhere else.
Encoded encode_new_key(const engine::Engine::NewKey& created);
Encoded encode_api_key(const domain::ApiKey& key);
Encoded encode_api_keys(const std::vector<domain::ApiKey>& keys);
/// A full page has a cursor to the next.
Encoded encode_audit(const std::vector<AuditEntry>& entries, std::size_t limit);
/// `running`: who has what runs, where that is told.
Encoded encode_page(const Page& page, const std::vector<domain::Attempt>& running = {});
Encoded encode_count(const engine::CountView& view);
Encoded encode_overview(const engine::OverviewView& view);
Encoded encode_workers(const std::vector<engine::WorkerRegistry::Seen>& workers);
Encoded encode_who(const engine::WhoView& view);
Encoded encode_bulk(const engine::BulkAnswer& answer);
Encoded encode_queue(const engine::QueueView& view);
/// Without the depth: the answer to a change of settings.
Encoded encode_stored_queue(const engine::QueueView& view);
Encoded encode_queues(const std::vector<engine::QueueView>& views, bool with_history);
/// With the task and the next firings.
Encoded encode_schedule(const engine::ScheduleView& view);
/// A full page has a cursor to the next.
Encoded encode_schedules(const std::vector<engine::ScheduleView>& views, std::size_t limit);
/// 201 when the firing has a task, else 200.
Encoded encode_firing(const domain::FiringRecord& firing);
Encoded encode_template(const domain::Template& template_, const std::string& tenant);
Encoded encode_stored_template(const engine::Engine::StoredRevision& stored, const std::string& tenant);
Encoded encode_template_list(const std::vector<engine::TemplateRegistry::Shared>& templates);
Encoded encode_template_versions(const std::vector<engine::TemplateRegistry::Shared>& versions,
                                 const std::string& tenant);

/// An event as JSON, without its position.
std::string encode_event(const engine::Event& event);

/// One answer of /v1/attempts:batch.
using OutcomeAnswer = Result<AttemptAnswer>;
Encoded encode_outcomes(const std::vector<OutcomeAnswer>& answers);
/// Of a poll that brought outcomes.
Encoded encode_work(const std::vector<Lease>& leases, const std::vector<OutcomeAnswer>& answers);

}  // namespace semel::codec
