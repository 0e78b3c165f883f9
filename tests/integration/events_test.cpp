#include "tests/support/event_source.hpp"
#include "tests/support/server_fixture.hpp"

namespace semel::test {
namespace {

class Events : public ServerFixture {
 protected:
  /// A stream that has begun: what is created from now on is in it.
  EventSource follow(const std::string& key = "viewer", const std::string& query = "",
                     const std::string& last_event_id = "") {
    HttpRequest request{"GET", "/v1/events" + query, key};
    if (!last_event_id.empty()) request.headers.emplace_back("Last-Event-ID", last_event_id);
    EventSource source(connect(), request);
    EXPECT_EQ(source.head().status, 200);
    EXPECT_EQ(source.next().type, "open");
    return source;
  }
  static void expect(EventSource& source, const std::string& task_uuid, const std::string& status) {
    const StreamedEvent event = source.next();
    EXPECT_EQ(event.type, "task");
    EXPECT_EQ(event.json().value("task_uuid", ""), task_uuid);
    EXPECT_EQ(event.json().value("status", ""), status);
  }
};

TEST_F(Events, AreSentForEveryChangeOfState) {
  put_template("charge");
  EventSource source = follow();
  EXPECT_EQ(source.head().headers.at("content-type"), "text/event-stream");
  const std::string id = create("admin", {{"namespace", "shop"}, {"name", "charge"}, {"queue", "slow"}});

  const StreamedEvent created = source.next();

  EXPECT_EQ(created.type, "task");
  EXPECT_EQ(created.json(), (Json{{"task_uuid", id},
                                  {"status", "pending"},
                                  {"namespace", "shop"},
                                  {"name", "charge"},
                                  {"handler", "charge"},
                                  {"queue", "slow"},
                                  {"at", to_rfc3339(clock_.now())}}));
  const std::string attempt = lease("slow")["attempt_id"];
  expect(source, id, "running");
  complete(attempt, {{"result", 1}});
  expect(source, id, "completed");
}

TEST_F(Events, ShowFailuresCancellationsAndEndedLeases) {
  EventSource source = follow("viewer", "?status=failed&status=cancelled&status=timed_out");
  const std::string failing = create("admin", {{"handler", "a"}});
  fail(lease("default")["attempt_id"]);
  const std::string cancelled = create("admin", {{"handler", "a"}});
  cancel(cancelled);
  const std::string slow = create("admin", {{"handler", "a"}});
  lease("default");
  clock_.advance(1h);
  maintain();

  expect(source, failing, "failed");
  expect(source, cancelled, "cancelled");
  expect(source, slow, "timed_out");
}

TEST_F(Events, AreResumedWhereTheClientWas) {
  std::string last;
  {
    EventSource source = follow();
    create("admin", {{"handler", "a"}});
    source.next();
    last = source.last_id();
  }
  const std::string missed = create("admin", {{"handler", "a"}});
  const std::string also = create("admin", {{"handler", "a"}});

  EventSource again = follow("viewer", "", last);
  expect(again, missed, "pending");
  expect(again, also, "pending");

  EventSource by_parameter = follow("viewer", "?after=" + last);
  expect(by_parameter, missed, "pending");
}

TEST_F(Events, OfBeforeARestartAreAGap) {
  std::string last;
  {
    EventSource source = follow();
    create("admin", {{"handler", "a"}});
    source.next();
    last = source.last_id();
  }
  restart();

  EventSource again = follow("viewer", "", last);

  EXPECT_EQ(again.next().type, "gap");
  const std::string id = create("admin", {{"handler", "a"}});
  expect(again, id, "pending");
}

TEST_F(Events, TakeFilters) {
  EventSource by_queue = follow("viewer", "?queue=slow");
  EventSource by_handler = follow("viewer", "?handler=mail");
  const std::string quick = create("admin", {{"handler", "mail"}});
  const std::string slow = create("admin", {{"handler", "resize"}, {"queue", "slow"}});
  EventSource by_id = follow("viewer", "?task_uuid=" + slow);
  cancel(quick);
  cancel(slow);

  expect(by_queue, slow, "pending");
  expect(by_queue, slow, "cancelled");
  expect(by_handler, quick, "pending");
  expect(by_handler, quick, "cancelled");
  expect(by_id, slow, "cancelled");
}

TEST_F(Events, OfOtherTenantsAreNotSeen) {
  EventSource source = follow("globex");
  EventSource ours = follow();
  for (int i = 0; i < 3; ++i) create("admin", {{"handler", "a"}});
  const std::string theirs = create("globex", {{"handler", "a"}});

  const StreamedEvent event = source.next();

  EXPECT_EQ(event.json()["task_uuid"], theirs);
  EXPECT_TRUE(event.id.ends_with("-1")) << event.id;  // how much others do does not show in the number either
}

TEST_F(Events, ADuplicateIsNone) {
  EventSource source = follow();
  const std::string first = create("admin", {{"handler", "a"}, {"idempotency_key", "k"}});
  submit("admin", {{"handler", "a"}, {"idempotency_key", "k"}});
  const std::string second = create("admin", {{"handler", "a"}, {"idempotency_key", "l"}});

  expect(source, first, "pending");
  expect(source, second, "pending");
}

TEST_F(Events, NeedThePermissionToRead) {
  EXPECT_EQ(get("maker", "/v1/events").status, 403);
  EXPECT_EQ(get("", "/v1/events").status, 401);
}

TEST_F(Events, RefuseWhatCannotBeMeant) {
  for (const std::string query : {"?after=x", "?status=done", "?queue=a&queue=b", "?colour=red", "?task_uuid=1"}) {
    EXPECT_EQ(get("viewer", "/v1/events" + query).status, 400) << query;
  }
  const HttpAnswer answer = ask({"GET", "/v1/events", "viewer", "", {{"Last-Event-ID", "seven"}}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.message(), "Last-Event-ID must be the id of an event of this stream, such as 6f1c2a9b-1042");
}

TEST_F(Events, ATenantHasAHundredStreamsAtMost) {
  std::vector<EventSource> sources;
  for (int i = 0; i < 100; ++i) sources.push_back(follow());

  const HttpAnswer refused = get("viewer", "/v1/events");

  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.message(), "100 event streams of this tenant are open already; close one first");
  follow("globex");
}

TEST_F(Events, EndWhenTheServerStops) {
  EventSource source = follow();

  stop();

  EXPECT_EQ(source.next().type, "end");
}

TEST_F(Events, ManyChangesReachManyFollowersInOneOrder) {
  std::vector<EventSource> sources;
  for (int i = 0; i < 10; ++i) sources.push_back(follow());
  std::vector<std::string> ids;
  for (int batch = 0; batch < 10; ++batch) {
    Json tasks = Json::array();
    for (int i = 0; i < 200; ++i) tasks.push_back({{"handler", "a"}});
    const Json results = post("admin", "/v1/tasks:batch", {{"tasks", tasks}}).json()["results"];
    for (const Json& result : results) ids.push_back(result["body"]["task_uuid"]);
  }

  for (EventSource& source : sources) {
    for (const std::string& id : ids) ASSERT_EQ(source.next().json()["task_uuid"], id);
  }
}

class EventsOfKeys : public ServerFixture {
 protected:
  EventsOfKeys() {
    own_keys_ = true;
    options_.http.feed_pause_max = 5ms;
  }
};

TEST_F(EventsOfKeys, EndWithTheirKey) {
  const std::string admin = post("", "/v1/keys", {{"permissions", {"admin"}}}).json()["key"];
  const Json key = post(admin, "/v1/keys", {{"permissions", {"tasks:read"}}}).json();
  EventSource source(connect(), {"GET", "/v1/events", key["key"]});
  EXPECT_EQ(source.next().type, "open");

  EXPECT_EQ(ask({"DELETE", "/v1/keys/" + key["id"].get<std::string>(), admin}).status, 200);

  EXPECT_EQ(source.next().type, "end");
}

TEST_F(EventsOfKeys, OfAnOpenServerEndWithTheFirstKey) {
  EventSource source(connect(), {"GET", "/v1/events"});
  EXPECT_EQ(source.next().type, "open");

  post("", "/v1/keys", {{"permissions", {"admin"}}});

  EXPECT_EQ(source.next().type, "end");
}

}  // namespace
}  // namespace semel::test
