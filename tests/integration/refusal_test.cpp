#include <ostream>
#include <string>

#include "tests/support/expect_answer.hpp"
#include "tests/support/server_fixture.hpp"

/// Every request that is refused, and that its message tells what to change.
namespace semel::test {
namespace {

struct Refused {
  const char* name;
  std::string body;  // of POST /v1/tasks
  int status;
  const char* code;
  const char* words;  // of the message
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

std::string ad_hoc(const std::string& members) { return R"({"handler":"charge",)" + members + "}"; }
std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}
std::string text_of(std::size_t bytes) { return '"' + std::string(bytes - 2, 'x') + '"'; }

constexpr const char* bad = "BAD_REQUEST";
constexpr const char* later = "NOT_SUPPORTED_YET";

std::vector<Refused> bad_grammar() {
  return {
      {"NoObject", "[1]", 400, bad, "object"},
      {"NoJson", "hello", 400, bad, "byte"},
      {"CutOff", R"({"handler":"charge")", 400, bad, "byte"},
      {"TrailingData", R"({"handler":"charge"} {})", 400, bad, "byte 21"},
      {"BadUtf8InAName", "{\"handler\":\"\xC3\x28\"}", 400, bad, "UTF-8"},
      {"BadUtf8InTheContext", ad_hoc("\"context\":\"\xFF\""), 400, bad, "UTF-8"},
      {"OverlongUtf8", ad_hoc("\"context\":\"\xC0\xAF\""), 400, bad, "UTF-8"},
      {"ALoneSurrogate", ad_hoc(R"("context":"\ud800")"), 400, bad, "surrogate"},
      {"ARepeatedKeyInTheContext", ad_hoc(R"("context":{"a":1,"\u0061":2})"), 400, bad, "context: "},
      {"ARepeatedField", ad_hoc(R"("handler":"refund")"), 400, bad, "handler"},
      {"TooDeep", ad_hoc("\"context\":" + nested(129)), 400, bad, "128"},
      {"ANumberTooLong", ad_hoc("\"context\":" + std::string(1001, '7')), 400, bad, "at most 1000"},
      {"AnExponentTooLarge", ad_hoc("\"context\":1e1000000000"), 400, bad, "exponent"},
      {"NaN", ad_hoc("\"context\":NaN"), 400, bad, "byte"},
      {"ContextTooLarge", ad_hoc("\"context\":" + text_of((1 << 20) + 1)), 413, "PAYLOAD_TOO_LARGE",
       "at most 1048576 are allowed"},
      {"BodyTooLarge", ad_hoc("\"context\":" + text_of(1'200'000)), 413, "PAYLOAD_TOO_LARGE",
       "the body is over the 1114112 bytes"},
  };
}

std::vector<Refused> bad_fields() {
  return {
      {"NothingToDo", "{}", 400, bad, "name (of a registered template) or handler"},
      {"EmptyBody", "", 400, bad, "name (of a registered template) or handler"},
      {"NameAndHandler", ad_hoc(R"("name":"pay")"), 400, bad, "name and handler are both given"},
      {"NamespaceWithoutName", ad_hoc(R"("namespace":"shop")"), 400, bad, "namespace needs a name"},
      {"VersionWithoutName", ad_hoc(R"("version":"1.0.0")"), 400, bad, "version needs a name"},
      {"BadVersion", R"({"name":"pay","version":"1"})", 400, bad, "semantic version"},
      {"UnknownTemplate", R"({"name":"pay"})", 404, "NOT_FOUND", "PUT it to /v1/templates first"},
      {"UnknownNamespace", R"({"namespace":"bank","name":"known"})", 404, "NOT_FOUND", "no template bank/known"},
      {"UnknownVersion", R"({"namespace":"shop","name":"known","version":"9.0.0"})", 404, "NOT_FOUND", "version 9.0.0"},
      {"UnknownField", ad_hoc(R"("color":"red")"), 400, bad, "unknown field 'color'"},
      {"MisspeltField", ad_hoc(R"("idempotencykey":"k")"), 400, bad, "did you mean 'idempotency_key'?"},
      {"WrongTypeOfAText", R"({"handler":17})", 400, bad, "handler: "},
      {"NullForAText", R"({"handler":null})", 400, bad, "handler: "},
      {"WrongTypeOfANumber", ad_hoc(R"("priority":"high")"), 400, bad, "priority: "},
      {"FractionOfAnInteger", ad_hoc(R"("priority":1.5)"), 400, bad, "priority: "},
      {"PriorityTooHigh", ad_hoc(R"("priority":101)"), 400, bad, "from -100 to 100"},
      {"PriorityTooLow", ad_hoc(R"("priority":-101)"), 400, bad, "from -100 to 100"},
      {"BadHandler", R"({"handler":"a b"})", 400, bad, "handler must be 1 to 100 characters"},
      {"EmptyQueue", ad_hoc(R"("queue":"")"), 400, bad, "queue must be 1 to 100 characters"},
      {"LongQueue", ad_hoc("\"queue\":\"" + std::string(101, 'q') + '"'), 400, bad, "queue must be 1 to 100"},
      {"BadReuse", ad_hoc(R"("reuse":"always")"), 400, bad, "reuse has an unknown value 'always'"},
      {"BadMode", ad_hoc(R"("on_duplicate":"Reject")"), 400, bad, "on_duplicate has an unknown value"},
      {"BadMismatch", ad_hoc(R"("on_payload_mismatch":"no")"), 400, bad, "on_payload_mismatch"},
      {"BadRunAt", ad_hoc(R"("run_at":"tomorrow")"), 400, bad, "run_at must be an RFC 3339 time"},
      {"BadDelay", ad_hoc(R"("delay":"5 minutes")"), 400, bad, "delay must be a duration"},
      {"RunAtAndDelay", ad_hoc(R"("delay":"5m","run_at":"2026-01-20T12:30:00Z")"), 400, bad, "send one of them"},
      {"BadLabel", ad_hoc(R"("labels":{"a":1})"), 400, bad, "labels"},
      {"BadTraceparent", ad_hoc(R"("traceparent":"00-x")"), 400, bad, "traceparent"},
      {"LongWait", ad_hoc(R"("wait":"61s")"), 400, bad, "at most 1m"},
  };
}

std::vector<Refused> bad_keys() {
  const auto key = [](const std::string& text) { return ad_hoc("\"idempotency_key\":\"" + text + '"'); };
  const auto ttl = [](const std::string& value) {
    return ad_hoc("\"idempotency_key\":\"k\",\"idempotency_key_ttl_seconds\":" + value);
  };
  return {
      {"EmptyKey", key(""), 400, bad, "idempotency_key must not be empty"},
      {"LongKey", key(std::string(256, 'k')), 400, bad, "256 bytes long; at most 255"},
      {"ControlCharacterInAKey", key(R"(a\nb)"), 400, bad, "control characters"},
      {"NulInAKey", key(R"(a\u0000b)"), 400, bad, "control characters"},
      {"LateControlCharacterInAKey", key(R"(a\u0085b)"), 400, bad, "control characters"},
      {"NumberAsKey", ad_hoc(R"("idempotency_key":7)"), 400, bad, "idempotency_key: "},
      {"EmptyTaskId", ad_hoc(R"("task_id":"")"), 400, bad, "task_id must not be empty"},
      {"TaskIdAndAnotherKey", ad_hoc(R"("task_id":"a","idempotency_key":"b")"), 400, bad, "both are given and differ"},
      {"TtlOfNothing", ttl("0"), 400, bad, "from 1 to 315360000"},
      {"NegativeTtl", ttl("-1"), 400, bad, "from 1 to 315360000"},
      {"TtlOverTenYears", ttl("315360001"), 400, bad, "from 1 to 315360000"},
      {"TtlAsText", ttl("\"60\""), 400, bad, "idempotency_key_ttl_seconds: "},
      {"TtlWithAFraction", ttl("1.5"), 400, bad, "idempotency_key_ttl_seconds: "},
      {"TtlWithNothingToIdentify", ad_hoc(R"("idempotency_key_ttl_seconds":60)"), 400, bad, "send an idempotency_key"},
      {"NoAttempts", ad_hoc(R"("max_attempts":0)"), 400, bad, "max_attempts is 0; it must be from 1 to 1000"},
      {"NegativeRetries", ad_hoc(R"("max_retries":-1)"), 400, bad, "max_retries is -1; it must be from 0 to 999"},
      {"Retry", ad_hoc(R"("retry":{"base":"1 s"})"), 400, bad, "retry: base must be a duration"},
      {"Timeout", ad_hoc(R"("timeout_ms":0)"), 400, bad, "timeout_ms is 0; it must be from 1"},
      {"Deadline", ad_hoc(R"("deadline":"tomorrow")"), 400, bad, "deadline must be a time"},
  };
}

class Refusals : public ServerFixture, public testing::WithParamInterface<Refused> {};

TEST_P(Refusals, OfASubmissionSayWhatToChangeAndCreateNothing) {
  put_template("known");

  const HttpAnswer answer = ask({"POST", "/v1/tasks", "reader", GetParam().body});

  expect_refusal(answer, GetParam().status, GetParam().code, GetParam().words);
  EXPECT_EQ(answer.json().size(), 1u);
  HttpClient other = connect();  // one that was refused before its body was read is closed
  const Json poll{{"worker_id", "w"}, {"queues", {"default"}}};
  EXPECT_EQ(other.ask({"POST", "/v1/worker/poll", "admin", poll.dump()}).json()["leases"], Json::array());
}

const auto name_of_case = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Grammar, Refusals, testing::ValuesIn(bad_grammar()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Fields, Refusals, testing::ValuesIn(bad_fields()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Keys, Refusals, testing::ValuesIn(bad_keys()), name_of_case);

class Accepted : public ServerFixture {};

TEST_F(Accepted, AreTheLargestValuesOfEveryLimit) {
  Json labels;
  for (int i = 0; i < 16; ++i) labels["label-" + std::to_string(i)] = std::string(255, 'v');
  const std::vector<std::string> bodies{
      ad_hoc("\"context\":" + nested(128)),
      ad_hoc("\"context\":" + std::string(1000, '7')),
      ad_hoc("\"context\":1e999999999"),
      ad_hoc("\"context\":" + text_of(1 << 20)),
      ad_hoc(R"("context":"\u0000")"),
      ad_hoc(R"("priority":100,"priority_seconds":60,"wait":"0","max_attempts":1,"max_retries":0)"),
      ad_hoc("\"labels\":" + labels.dump()),
      ad_hoc(R"("traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")"),
      ad_hoc("\"queue\":\"" + std::string(100, 'q') + '"'),
  };
  for (const std::string& body : bodies) {
    const HttpAnswer answer = ask({"POST", "/v1/tasks", "reader", body});
    EXPECT_EQ(answer.status, 201) << answer.body << "\n  of " << body.substr(0, 100);
  }
  labels["one too many"] = "";
  expect_refusal(ask({"POST", "/v1/tasks", "reader", ad_hoc("\"labels\":" + labels.dump())}), 400, bad, "at most 16");
}

}  // namespace
}  // namespace semel::test
