#include <ostream>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// How long an identity is held, at the exact tick.
namespace semel::test {
namespace {

enum class From { creation, closing };

struct WindowCase {
  const char* name;
  Json identity;  // of the template
  Json request;   // beside the key
  From from;
  Duration length;
};
void PrintTo(const WindowCase& each, std::ostream* out) { *out << each.name; }

std::vector<WindowCase> all_windows() {
  const Json ttl{{"idempotency_key_ttl_seconds", 60}};
  return {
      {"ByDefaultTheRetention", {}, {}, From::closing, 7 * 24h},
      {"TimeToLive", {}, ttl, From::creation, 60s},
      {"ShortestTimeToLive", {}, {{"idempotency_key_ttl_seconds", 1}}, From::creation, 1s},
      {"LongestTimeToLive", {}, {{"idempotency_key_ttl_seconds", 315'360'000}}, From::creation, 3650 * 24h},
      {"FixedWindow", {{"dedup_window", "2h"}}, {}, From::closing, 2h},
      {"WindowOfNothing", {{"dedup_window", "0"}}, {}, From::closing, 0s},
      {"WindowOfAMillisecond", {{"dedup_window", "1ms"}}, {}, From::closing, 1ms},
      {"WindowOfTheRetention", {{"dedup_window", "retention"}}, {}, From::closing, 7 * 24h},
      {"TimeToLiveBeforeTheTemplate", {{"dedup_window", "2h"}}, ttl, From::creation, 60s},
      {"TimeToLiveBeforeForever", {{"dedup_window", "forever"}}, ttl, From::creation, 60s},
  };
}

class Windows : public ServerFixture, public testing::WithParamInterface<WindowCase> {
 protected:
  void SetUp() override {
    ServerFixture::SetUp();
    Json identity = GetParam().identity.is_null() ? Json::object() : GetParam().identity;
    identity["strategy"] = "caller_provided";
    put_template("charge", {{"identity", identity}});
    if (!GetParam().request.is_null()) request_.update(GetParam().request);
  }

  /// The first tick at which the identity of a holder created at `start` is free.
  Time end_of_window(Time start, Time closed) const {
    return (GetParam().from == From::creation ? start : closed) + GetParam().length;
  }

  Json request_{{"namespace", "shop"}, {"name", "charge"}, {"idempotency_key", "order-1"}};
};

TEST_P(Windows, AClosedHolderIsADuplicateUntilTheLastTickAndFreeAtTheEnd) {
  const Time start = clock_.now();
  const std::string holder = create("reader", request_);
  clock_.advance(500ms);
  bring_to(State::completed, holder, "default");
  const Time end = end_of_window(start, clock_.now());

  if (end - 1ms >= clock_.now()) {
    clock_.set(end - 1ms);
    expect_opaque(submit("reader", request_));
  }
  clock_.set(std::max(end, clock_.now()));
  const HttpAnswer answer = submit("reader", request_);

  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.json()["previous_execution_id"], holder);
}

TEST_P(Windows, AnOpenHolderIsNeverFree) {
  const std::string holder = create("reader", request_);

  clock_.advance(3651 * 24h);

  expect_opaque(submit("reader", request_));
  Json takes_anything = request_;
  takes_anything["reuse"] = "allow_duplicate";
  expect_opaque(submit("reader", takes_anything));
}

TEST_P(Windows, ByKeyTellsTheEndOfTheWindowAndThatItHasPassed) {
  const Time start = clock_.now();
  const std::string holder = create("reader", request_);
  const std::string target = "/v1/tasks/by-key?namespace=shop&name=charge&key=order-1";
  const Json while_open = get("reader", target).json();
  bring_to(State::completed, holder, "default");
  const Time end = end_of_window(start, clock_.now());
  clock_.set(end);

  const Json after = get("reader", target).json();

  EXPECT_EQ(while_open["held"], true);
  EXPECT_FALSE(while_open["holder"].contains("window_end"));
  EXPECT_EQ(after["held"], false);
  EXPECT_EQ(after["holder"]["window_end"], to_rfc3339(end));
}

INSTANTIATE_TEST_SUITE_P(All, Windows, testing::ValuesIn(all_windows()),
                         [](const auto& info) { return info.param.name; });

class Window : public ServerFixture {
 protected:
  const Json keyed_{{"namespace", "shop"}, {"name", "charge"}, {"idempotency_key", "order-1"}};
};

TEST_F(Window, ForeverNeverEnds) {
  put_template("charge", {{"identity", {{"strategy", "caller_provided"}, {"dedup_window", "forever"}}}});
  bring_to(State::completed, create("reader", keyed_), "default");

  clock_.advance(100 * 365 * 24h);

  expect_opaque(submit("reader", keyed_));
}

TEST_F(Window, AnOpenHolderPastItsTimeToLiveIsFreeAsSoonAsItCloses) {
  const Json request{{"handler", "charge"}, {"idempotency_key", "order-1"}, {"idempotency_key_ttl_seconds", 60}};
  const std::string holder = create("reader", request);
  clock_.advance(1h);
  expect_opaque(submit("reader", request));

  bring_to(State::completed, holder, "default");

  EXPECT_EQ(submit("reader", request).json()["previous_execution_id"], holder);
}

TEST_F(Window, BelongsToTheHolderAndNotToTheRequestThatMeetsIt) {
  const Json request{{"handler", "charge"}, {"idempotency_key", "order-1"}, {"idempotency_key_ttl_seconds", 3600}};
  bring_to(State::completed, create("reader", request), "default");
  clock_.advance(30min);
  Json shorter = request;
  shorter["idempotency_key_ttl_seconds"] = 60;

  expect_opaque(submit("reader", shorter));
}

TEST_F(Window, IsNotMovedByALaterChangeOfTheTemplate) {
  const Json identity{{"strategy", "caller_provided"}, {"dedup_window", "2h"}};
  put_template("charge", {{"identity", identity}});
  bring_to(State::completed, create("reader", keyed_), "default");
  Json shorter = identity;
  shorter["dedup_window"] = "1m";
  put_template("charge", {{"identity", shorter}});

  clock_.advance(2h - 1ms);
  expect_opaque(submit("reader", keyed_));
  clock_.advance(1ms);
  EXPECT_EQ(submit("reader", keyed_).status, 201);
}

TEST_F(Window, OfAStrictSubmissionMayBeATimeToLiveToo) {
  put_template("charge");
  const Json request{{"namespace", "shop"}, {"name", "charge"}, {"idempotency_key_ttl_seconds", 60}};
  bring_to(State::completed, create("reader", request), "default");

  clock_.advance(60s - 1ms);
  expect_opaque(submit("reader", request));
  clock_.advance(1ms);
  EXPECT_EQ(submit("reader", request).status, 201);
}

TEST_F(Window, SurvivesARestart) {
  const Json request{{"handler", "charge"}, {"idempotency_key", "order-1"}, {"idempotency_key_ttl_seconds", 60}};
  bring_to(State::completed, create("reader", request), "default");
  clock_.advance(60s - 1ms);

  restart();

  expect_opaque(submit("reader", request));
  clock_.advance(1ms);
  EXPECT_EQ(submit("reader", request).status, 201);
}

TEST_F(Window, OfATombstoneEndsAtTheSameTick) {
  const Json request{{"handler", "charge"}, {"idempotency_key", "order-1"}, {"idempotency_key_ttl_seconds", 60}};
  const std::string holder = create("reader", request);
  bring_to(State::completed, holder, "default");

  remove("acme", holder);
  maintain();  // what a server sweeps when it starts must not meet the end of the window

  clock_.advance(60s - 1ms);
  expect_opaque(submit("reader", request));
  clock_.advance(1ms);
  EXPECT_EQ(submit("reader", request).json()["previous_execution_id"], holder);
}

}  // namespace
}  // namespace semel::test
