#include <fmt/format.h>

#include <iterator>
#include <mutex>

#include "api/codec/query.hpp"
#include "api/http/query.hpp"
#include "api/http/routes.hpp"

/// The changes of a tenant's tasks as server-sent events.
namespace semel::http {
namespace {

/// The engine gets it before the connection has a wake to give.
class Bell {
 public:
  void answer_to(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }
  void ring() {
    const std::lock_guard lock(mutex_);
    if (wake_) wake_();
  }

 private:
  std::mutex mutex_;  // guards wake_
  std::function<void()> wake_;
};

class EventFeed final : public Feed {
 public:
  EventFeed(const Call& call, std::shared_ptr<Bell> bell, std::unique_ptr<engine::EventStream> stream)
      : authenticator_(call.authenticator),
        authorization_(call.request.authorization),
        from_loopback_(call.request.from_loopback),
        bell_(std::move(bell)),
        stream_(std::move(stream)) {}

  void begin(std::function<void()> wake) override { bell_->answer_to(std::move(wake)); }

  bool pull(std::string& piece) override {
    if (!may_go_on()) return false;
    if (!std::exchange(has_begun_, true)) {
      fmt::format_to(std::back_inserter(piece), "retry: 2000\nid: {}\nevent: open\ndata: {{}}\n\n",
                     stream_->position().text());
    }
    const engine::EventStream::Batch batch = stream_->next();
    if (batch.is_gap) {
      fmt::format_to(std::back_inserter(piece), "id: {}\nevent: gap\ndata: {{}}\n\n", stream_->position().text());
    }
    for (const auto& [position, event] : batch.events) {
      fmt::format_to(std::back_inserter(piece), "id: {}\nevent: task\ndata: {}\n\n", position.text(),
                     codec::encode_event(event));
    }
    return !batch.is_closed;
  }

  /// A block without data is no event, but moves the client's Last-Event-ID over what it did not ask for.
  bool keep_alive(std::string& piece) override {
    fmt::format_to(std::back_inserter(piece), ": still here\nid: {}\n\n", stream_->position().text());
    return may_go_on();
  }

 private:
  /// A key that was revoked or has expired sees nothing more.
  bool may_go_on() const { return authenticator_.authenticate({authorization_, from_loopback_}).has_value(); }

  const Authenticator& authenticator_;
  const std::string authorization_;
  const bool from_loopback_;
  const std::shared_ptr<Bell> bell_;
  const std::unique_ptr<engine::EventStream> stream_;
  bool has_begun_ = false;
};

/// The header of a browser that connects again, or the parameter of whoever cannot set one.
Result<std::optional<engine::EventPosition>> position_from(const Request& request) {
  const std::string* const parameter = request.query_value("after");
  if (request.last_event_id && request.last_event_id->empty()) return std::nullopt;
  if (!request.last_event_id && parameter == nullptr) return std::nullopt;
  const std::string& text = request.last_event_id ? *request.last_event_id : *parameter;
  const auto position = engine::EventPosition::parse(text);
  if (!position) {
    return bad_request("{} must be the id of an event of this stream, such as 6f1c2a9b-1042",
                       request.last_event_id ? "Last-Event-ID" : "after");
  }
  return position;
}

Result<engine::EventQuery> event_query_from(const Request& request) {
  const Result<void> known =
      check_query(request, {"after", "namespace", "name", "queue", "handler", "task_uuid"}, {"status"});
  if (!known) return pass_on(known.error());
  engine::EventQuery query;
  const Result<std::optional<engine::EventPosition>> after = position_from(request);
  if (!after) return pass_on(after.error());
  query.after = *after;
  Result<std::vector<domain::State>> states = states_from(request);
  if (!states) return pass_on(states.error());
  query.states = *std::move(states);
  query.namespace_ = text_from(request, "namespace");
  query.name = text_from(request, "name");
  query.queue = text_from(request, "queue");
  query.handler = text_from(request, "handler");
  if (const std::string* uuid = request.query_value("task_uuid")) {
    const Result<domain::ExecutionId> id = codec::parse_id<domain::ExecutionId>(*uuid);
    if (!id) return pass_on(id.error());
    query.id = *id;
  }
  return query;
}

}  // namespace

void follow_events(Call call) {
  Result<engine::EventQuery> query = event_query_from(call.request);
  if (!query) return call.to.refuse(query.error());
  const auto bell = std::make_shared<Bell>();
  auto stream = call.engine.follow(call.principal, *std::move(query), [bell] { bell->ring(); });
  if (!stream) return call.to.refuse(stream.error());
  Response response{200, "", "text/event-stream", {{"X-Accel-Buffering", "no"}}, nullptr};
  response.feed = std::make_shared<EventFeed>(call, bell, *std::move(stream));
  call.to.respond(std::move(response));
}

}  // namespace semel::http
