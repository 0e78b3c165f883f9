#include "connected/call.hpp"
#include "connected/connection.hpp"
#include "connected/convert.hpp"

/// What workers ask.
namespace semel::connected {

std::shared_ptr<WorkerStream> Connection::make_worker_stream(std::weak_ptr<WorkerStream::Listener> listener,
                                                             const v1::Hello& hello) {
  auto stream = std::make_shared<WorkerStream>(under_way_, channels_.address(), std::move(listener), hello);
  channels_.sign(stream->context());
  return stream;
}

void Connection::begin(WorkerStream& stream) {
  stream.begin([this](auto* context, auto* reactor) { workers_->async()->Connect(context, reactor); });
}

std::shared_ptr<Intake> Connection::intake(const std::string& session) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Intake>& intake = intakes_[session];
  if (!intake) {
    intake = std::make_shared<Intake>(
        Intake::Streams{
            [this](auto listener, const v1::Hello& hello) { return make_worker_stream(std::move(listener), hello); },
            [this](WorkerStream& stream) { begin(stream); }, channels_.address()},
        holders_);
  }
  return intake;
}

sdk::Reply<std::vector<sdk::Lease>> Connection::poll(const sdk::Poll& poll, std::stop_token stop) {
  return intake(poll.session)->poll(poll, std::move(stop));
}

std::vector<sdk::Lease> Connection::end_polling(const std::string& session) {
  std::vector<sdk::Lease> leases = intake(session)->end();
  const std::lock_guard lock(mutex_);
  intakes_.erase(session);
  return leases;
}

std::shared_ptr<WorkerStream> Connection::stream_for(const std::string& attempt_id) {
  if (std::shared_ptr<WorkerStream> stream = holders_.find(attempt_id); stream && stream->is_open()) return stream;
  const std::lock_guard lock(mutex_);
  if (outcomes_ && outcomes_->is_open()) return outcomes_;
  v1::Hello hello;  // takes no leases, so whose they would be does not matter
  hello.set_worker_id("outcomes");
  hello.add_queues("default");
  outcomes_ = make_worker_stream({}, hello);
  begin(*outcomes_);
  return outcomes_;
}

std::vector<sdk::Reply<sdk::AnswerOutcome>> Connection::answer(std::span<const sdk::Answer> answers) {
  const auto answering = std::make_shared<Answering>(answers.size());
  std::map<std::shared_ptr<WorkerStream>, std::vector<WorkerStream::Said>> by_stream;
  for (std::size_t i = 0; i < answers.size(); ++i)
    by_stream[stream_for(answers[i].attempt_id)].push_back({&answers[i], answering, i});
  for (const auto& [stream, said] : by_stream) stream->say(said);
  std::vector<sdk::Reply<sdk::AnswerOutcome>> outcomes = answering->wait();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const bool is_over = outcomes[i] || !outcomes[i].error().may_be_asked_again;
    if (is_over && !std::holds_alternative<sdk::Heartbeat>(answers[i].what)) holders_.remove(answers[i].attempt_id);
  }
  return outcomes;
}

sdk::Reply<sdk::HistoryPage> Connection::history(const std::string& workflow, std::uint64_t after, int limit) {
  v1::GetHistoryRequest request;
  request.set_task_uuid(workflow);
  request.set_limit(limit);
  request.set_cursor(static_cast<std::int64_t>(after));
  const auto response = call<v1::GetHistoryResponse>(
      {channels_, under_way_}, std::move(request), [this](auto* context, auto* asked, auto* answer, auto done) {
        workflows_->async()->GetHistory(context, asked, answer, std::move(done));
      });
  return reply_of<sdk::HistoryPage>(response, [](const auto& said) { return page_of(said); });
}

}  // namespace semel::connected
