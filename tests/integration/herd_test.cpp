#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <tuple>

#include "store/sqlite/connection.hpp"
#include "tests/support/expect_answer.hpp"
#include "tests/support/http_herd.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/server_fixture.hpp"

/// The thundering herd over real HTTP: many identical requests at once, one task.
namespace semel::test {
namespace {

constexpr int rounds = is_sanitized ? 3 : 20;

using Parameters = std::tuple<const char*, const char*, std::size_t>;  // strategy, scope, how many

class Herd : public ServerFixture, public testing::WithParamInterface<Parameters> {
 protected:
  Herd() : strategy_(std::get<0>(GetParam())), scope_(std::get<1>(GetParam())) {}

  Json request_of(int round, bool returns_existing) const {
    Json request{{"namespace", "shop"}, {"name", "charge"}, {"context", {{"round", round}}}};
    if (strategy_ == "caller_provided") request["idempotency_key"] = "order-" + std::to_string(round);
    if (returns_existing) request["on_duplicate"] = "return_existing";
    return request;
  }

  /// How many executions carry the same context in the file itself.
  std::int64_t rows_of(const Json& request) {
    using store::sqlite::Connection;
    Connection connection(store_file(), Connection::Access::read_only);
    auto query = connection.use("SELECT count(*) FROM executions WHERE context = ?1");
    const std::string context = request["context"].dump();
    query->bind(1, context);
    query->step();
    return query->integer(0);
  }

  /// Exactly one creates, all others are answered by the mode, and the store knows one execution: the created
  /// one.
  void expect_one_task(const std::vector<HttpAnswer>& answers, const Json& request, bool returns_existing) {
    const auto is_new = [](const HttpAnswer& answer) { return answer.status == 201; };
    ASSERT_EQ(std::count_if(answers.begin(), answers.end(), is_new), 1);
    const std::string id = std::find_if(answers.begin(), answers.end(), is_new)->json()["task_uuid"];
    std::set<std::string> others;
    for (const HttpAnswer& answer : answers) {
      if (!is_new(answer)) others.insert(std::to_string(answer.status) + " " + answer.body);
    }
    ASSERT_EQ(others.size(), 1u) << *others.begin() << "\n" << *others.rbegin();
    if (returns_existing) {
      EXPECT_TRUE(others.begin()->starts_with("200 {\"task_uuid\":\"" + id + "\"")) << *others.begin();
    } else {
      EXPECT_EQ(*others.begin(), "409 " + std::string(opaque_body));
    }
    EXPECT_EQ(rows_of(request), 1);
    const std::optional<Hash32> hash = hash_from_hex(task(id)["identity"]["hash"].get<std::string>());
    const std::optional<Held> held = instance().store().find_holder("acme", hash.value());
    ASSERT_TRUE(held.has_value());
    EXPECT_EQ(held->holder.id.text(), id);
    EXPECT_FALSE(held->execution->previous.has_value());
  }

  void expect_all_new(const std::vector<HttpAnswer>& answers, const Json& request) {
    std::set<std::string> ids;
    for (const HttpAnswer& answer : answers) {
      ASSERT_EQ(answer.status, 201) << answer.body;
      ids.insert(answer.json()["task_uuid"]);
    }
    EXPECT_EQ(ids.size(), answers.size());
    EXPECT_EQ(rows_of(request), static_cast<std::int64_t>(answers.size()));
  }

  const std::string strategy_;
  const std::string scope_;
};

TEST_P(Herd, CreatesOneTaskOrForAlwaysUniqueAll) {
  put_template("charge", {{"identity", {{"strategy", strategy_}, {"scope", scope_}}}});
  HttpHerd herd(instance().address(), std::get<2>(GetParam()));

  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const bool returns_existing = round % 2 == 1;
    const Json request = request_of(round, returns_existing);

    const auto answers = herd.rush({{"POST", "/v1/tasks", "reader", request.dump()}});

    if (strategy_ == "always_unique") expect_all_new(answers, request);
    else expect_one_task(answers, request, returns_existing);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Herd,
                         testing::Combine(testing::Values("strict", "caller_provided", "always_unique"),
                                          testing::Values("template", "template_version", "queue", "tenant"),
                                          testing::Values(std::size_t{50}, std::size_t{1000})),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) + "_" +
                                  std::to_string(std::get<2>(info.param));
                         });

class HerdOf : public ServerFixture {};

TEST_F(HerdOf, ManyIdentitiesCreatesEachOnce) {
  HttpHerd herd(instance().address(), 1000);
  std::vector<HttpRequest> requests;
  for (int i = 0; i < 100; ++i) {
    const Json request{{"handler", "charge"}, {"idempotency_key", "order-" + std::to_string(i)}};
    requests.push_back({"POST", "/v1/tasks", "reader", request.dump()});
  }

  const auto answers = herd.rush(requests);

  std::map<std::size_t, int> created;
  for (std::size_t i = 0; i < answers.size(); ++i) created[i % 100] += answers[i].status == 201 ? 1 : 0;
  for (const auto& [identity, count] : created) EXPECT_EQ(count, 1) << "order-" << identity;
}

TEST_F(HerdOf, TakeoversLetsOneTakeOverAFailedHolder) {
  const Json request{{"handler", "charge"}, {"idempotency_key", "order-1"}};
  const std::string holder = create("reader", request);
  bring_to(State::failed, holder, "default");
  HttpHerd herd(instance().address(), 200);

  const auto answers = herd.rush({{"POST", "/v1/tasks", "reader", request.dump()}});

  int created = 0;
  for (const HttpAnswer& answer : answers) {
    created += answer.status == 201 ? 1 : 0;
    if (answer.status != 201) expect_opaque(answer);
    else EXPECT_EQ(answer.json()["previous_execution_id"], holder);
  }
  EXPECT_EQ(created, 1);
}

TEST_F(HerdOf, OneClientMadeIdCreatesOneTaskAndAllOthersGetIt) {
  const std::string id = "019bddae-b818-7d82-b7c5-bd42e5db27fc";
  const Json request{{"handler", "charge"}, {"task_uuid", id}};
  HttpHerd herd(instance().address(), 200);

  const auto answers = herd.rush({{"POST", "/v1/tasks", "reader", request.dump()}});

  int created = 0;
  for (const HttpAnswer& answer : answers) {
    created += answer.status == 201 ? 1 : 0;
    EXPECT_TRUE(answer.status == 201 || answer.status == 200) << answer.body;
    EXPECT_EQ(answer.json()["task_uuid"], id);
  }
  EXPECT_EQ(created, 1);
}

}  // namespace
}  // namespace semel::test
