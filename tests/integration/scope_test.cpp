#include <ostream>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// Within what an identity is unique: scopes, versions, tenants, periods.
namespace semel::test {
namespace {

struct Place {
  std::string name = "charge";
  std::string version = "1.0.0";
  std::string queue = "default";
};

struct ScopePair {
  const char* name;
  const char* scope;
  Place first;
  Place second;
  int status;  // of the second
  const char* code;
};
void PrintTo(const ScopePair& pair, std::ostream* out) { *out << pair.name; }

class Scopes : public ServerFixture, public testing::WithParamInterface<ScopePair> {
 protected:
  void put_templates(const Json& identity) {
    for (const char* name : {"charge", "refund"}) {
      for (const char* version : {"1.0.0", "1.9.0", "1.10.0"}) {
        put_template(name, {{"version", version}, {"identity", identity}});
      }
    }
  }
  static Json at(const Place& place) {
    return {{"namespace", "shop"}, {"name", place.name}, {"version", place.version}, {"queue", place.queue}};
  }
};

TEST_P(Scopes, AKeyIsUniqueWithinItsScope) {
  put_templates({{"strategy", "caller_provided"}, {"scope", GetParam().scope}});
  Json first = at(GetParam().first);
  Json second = at(GetParam().second);
  first["idempotency_key"] = second["idempotency_key"] = "k";
  create("reader", first);

  const HttpAnswer answer = submit("reader", second);

  EXPECT_EQ(answer.status, GetParam().status) << answer.body;
  EXPECT_EQ(answer.code(), GetParam().code);
}

TEST_P(Scopes, AContextIsUniqueWithinItsScope) {
  put_templates({{"strategy", "strict"}, {"scope", GetParam().scope}});
  create("reader", at(GetParam().first));

  const HttpAnswer answer = submit("reader", at(GetParam().second));

  EXPECT_EQ(answer.status, GetParam().status) << answer.body;
  EXPECT_EQ(answer.code(), GetParam().code);
}

constexpr const char* opaque = "CONFLICT";
constexpr const char* other = "IDEMPOTENCY_KEY_CONFLICT";
const Place here;
const Place newer{"charge", "1.10.0", "default"};
const Place elsewhere{"charge", "1.0.0", "fast"};
const Place another{"refund", "1.0.0", "default"};
INSTANTIATE_TEST_SUITE_P(All, Scopes,
                         testing::Values(ScopePair{"TemplateAndItself", "template", here, here, 409, opaque},
                                         ScopePair{"TemplateAndANewerVersion", "template", here, newer, 409, opaque},
                                         ScopePair{"TemplateAndAnotherQueue", "template", here, elsewhere, 409, opaque},
                                         ScopePair{"TemplateAndAnotherTemplate", "template", here, another, 201, ""},
                                         ScopePair{"VersionAndItself", "template_version", here, here, 409, opaque},
                                         ScopePair{"VersionAndANewerVersion", "template_version", here, newer, 201, ""},
                                         ScopePair{"VersionAndAnotherQueue", "template_version", here, elsewhere, 409,
                                                   opaque},
                                         ScopePair{"QueueAndItself", "queue", here, here, 409, opaque},
                                         ScopePair{"QueueAndANewerVersion", "queue", here, newer, 409, opaque},
                                         ScopePair{"QueueAndAnotherQueue", "queue", here, elsewhere, 201, ""},
                                         ScopePair{"QueueAndAnotherTemplate", "queue", here, another, 409, other},
                                         ScopePair{"TenantAndAnotherQueue", "tenant", here, elsewhere, 409, opaque},
                                         ScopePair{"TenantAndAnotherTemplate", "tenant", here, another, 409, other}),
                         [](const auto& info) { return info.param.name; });

class Scope : public ServerFixture {
 protected:
  const Json named_{{"namespace", "shop"}, {"name", "charge"}};
};

TEST_F(Scope, ADeployDoesNotReopenAClosedIdentity) {
  put_template("charge");
  const std::string holder = create("reader", named_);
  bring_to(State::completed, holder, "default");

  put_template("charge", {{"version", "2.0.0"}, {"handler", "charge_anew"}});

  expect_opaque(submit("reader", named_));
  Json describing = named_;
  describing["on_duplicate"] = "return_existing";
  EXPECT_EQ(submit("reader", describing).json()["task_uuid"], holder);
  EXPECT_EQ(get("reader", "/v1/templates/shop/charge/1.0.0").json()["named_task_uuid"],
            get("reader", "/v1/templates/shop/charge/2.0.0").json()["named_task_uuid"]);
}

TEST_F(Scope, TheNewestVersionIsTheHighestAndNotTheLatest) {
  for (const char* version : {"1.9.0", "1.10.0", "1.2.0", "1.10.0-rc.1"})
    put_template("charge", {{"version", version}});

  EXPECT_EQ(task(create("reader", named_))["version"], "1.10.0");
}

TEST_F(Scope, TheNameSpaceIsDefaultWhenNoneIsGiven) {
  put_template("charge", {{"namespace", "default"}});

  EXPECT_EQ(task(create("reader", {{"name", "charge"}}))["namespace"], "default");
}

TEST_F(Scope, TenantsNeverMeet) {
  const Json keyed{{"handler", "charge"}, {"idempotency_key", "k"}};
  const std::string ours = create("reader", keyed);

  const std::string theirs = create("globex", keyed);

  EXPECT_NE(ours, theirs);
  expect_opaque(submit("globex", keyed));
  EXPECT_EQ(get("globex", "/v1/tasks/by-key?key=k").json()["task_uuid"], theirs);
}

TEST_F(Scope, TemplatesOfAnotherTenantAreUnknown) {
  put_template("charge");

  expect_refusal(submit("globex", named_), 404, "NOT_FOUND", "no template shop/charge is registered");
}

class Period : public Scope {
 protected:
  void SetUp() override {
    ServerFixture::SetUp();
    put_template("charge", {{"identity", {{"period", "1h"}}}});
  }
  Json requested_at(Time time) const {
    Json request = named_;
    request["requested_at"] = to_rfc3339(time);
    return request;
  }
};

TEST_F(Period, ARepetitionIsADuplicateUntilTheNextBucketBegins) {
  create("reader", named_);  // the clock stands on a full hour
  clock_.advance(1h - 1ms);
  expect_opaque(submit("reader", named_));

  clock_.advance(1ms);

  EXPECT_EQ(submit("reader", named_).status, 201);
}

TEST_F(Period, TheTimeOfTheRequestChoosesTheBucket) {
  const Time hour = clock_.now() + 1h;
  clock_.set(hour - 1min);
  create("reader", named_);
  clock_.set(hour + 2min);

  expect_opaque(submit("reader", requested_at(hour - 1ms)));
  EXPECT_EQ(submit("reader", requested_at(hour)).status, 201);
  expect_opaque(submit("reader", named_));
}

TEST_F(Period, ATimeOfMoreThanFiveMinutesOffIsRefused) {
  const Time now = clock_.now();

  EXPECT_EQ(submit("reader", requested_at(now - 5min)).status, 201);
  EXPECT_EQ(submit("reader", requested_at(now + 5min)).status, 201);
  expect_refusal(submit("reader", requested_at(now - 5min - 1ms)), 400, "BAD_REQUEST", "requested_at");
  expect_refusal(submit("reader", requested_at(now + 5min + 1ms)), 400, "BAD_REQUEST", "requested_at");
}

TEST_F(Period, IsNotForKeys) {
  Json keyed = named_;
  keyed["idempotency_key"] = "k";
  create("reader", keyed);

  clock_.advance(2h);

  expect_opaque(submit("reader", keyed));
}

}  // namespace
}  // namespace semel::test
