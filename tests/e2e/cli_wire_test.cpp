#include <gmock/gmock.h>

#include "tests/e2e/cli.hpp"
#include "tests/support/places.hpp"
#include "tests/support/tiny_server.hpp"

/// What goes over the wire: retries that are safe, and calls whose answers a test makes up.
namespace semel::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST_F(CliTest, ASubmitWhoseAnswerWasLostIsSentAgainAndCreatesOneTask) {
  TinyServer proxy([&](const std::string& request, std::size_t number) {
    const HttpAnswer answer = server_.connect().raw().ask(
        {.method = "POST", .target = TinyServer::target_of(request), .body = TinyServer::body_of(request)});
    return number == 1 ? "" : TinyServer::json(answer.status, answer.body);
  });

  const Finished done = run_client(proxy.address(), {"submit", "--handler", "h", "--retries", "3"});

  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr("  created  pending\n"));
  const std::vector<std::string> requests = proxy.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0], requests[1]);
  EXPECT_EQ(Json::parse(TinyServer::body_of(requests[0]))["task_uuid"], done.output.substr(0, 36));
  const Json leases = server_.connect()
                          .post("/v1/worker/poll", {{"worker_id", "w"}, {"queues", {"default"}}, {"max", 10}})
                          .body["leases"];
  EXPECT_EQ(leases.size(), 1u);
}

TEST(CliWire, ABusyServerIsAskedAgainWhenItSays) {
  TinyServer server([](const auto&, std::size_t number) {
    if (number == 1) return TinyServer::json(503, R"({"error":{}})", "Retry-After: 0\r\n");
    return TinyServer::json(200, R"({"templates":[]})");
  });

  EXPECT_EQ(run_client(server.address(), {"template", "ls", "--retries", "1"}).code, 0);

  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(CliWire, FindGoesOnUntilTheServerHasLookedAtEverything) {
  const auto ask_for = [](const std::string& name, int status, const std::string& body) {
    TinyServer server([&](const auto&, std::size_t number) {
      if (number > 2) return TinyServer::json(status, body);
      const std::string next = std::to_string(100 - number);
      return TinyServer::json(202,
                              R"({"looked_at":50000,"looked_back_to":"2026-01-20T12:00:00Z","next":")" + next + "\"}");
    });
    const Finished found = run_client(server.address(), {"find", name});
    const std::vector<std::string> requests = server.requests();
    EXPECT_EQ(requests.size(), 3u);
    EXPECT_EQ(TinyServer::target_of(requests.at(0)), "/v1/dispatches?external_id=" + name);
    EXPECT_EQ(TinyServer::target_of(requests.at(2)), "/v1/dispatches?external_id=" + name + "&cursor=98");
    return found;
  };

  const Finished found = ask_for("d_cxtoltqhbncw6nevn7hy53kqn6", 200, R"({"task_uuid":"of-it","status":"completed"})");
  EXPECT_EQ(found.code, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr("of-it"));
  const Finished none =
      ask_for("t_hlljqq57362d4n3x2kett7jrqf", 404, R"({"error":{"code":"NOT_FOUND","message":"there is none"}})");
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.errors, HasSubstr("there is none"));
}

TEST(CliWire, FindTellsOnATerminalHowFarItHasCome) {
  TinyServer server([](const auto&, std::size_t number) {
    if (number > 2) return TinyServer::json(200, R"({"task_uuid":"of-it"})");
    return TinyServer::json(202, R"({"looked_at":50000,"looked_back_to":"2026-01-20T12:00:00Z","next":"7"})");
  });

  const Finished found =
      run_to_end({"python3", "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)", semel_program(), "find",
                  "d_cxtoltqhbncw6nevn7hy53kqn6", "--url", "http://" + server.address()});

  EXPECT_EQ(found.code, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr("looking at 50000 tasks, back to 2026-01-20 12:00:00 UTC"));
  EXPECT_THAT(found.output, HasSubstr("looking at 100000 tasks"));
  EXPECT_THAT(found.output, HasSubstr("of-it"));
}

TEST(CliWire, WhatIsNotSafeIsSentOnce) {
  TinyServer server([](const auto&...) {
    return TinyServer::json(503, R"({"error":{"code":"UNAVAILABLE","message":"busy"}})", "Retry-After: 0\r\n");
  });

  const Finished cancel = run_client(server.address(), {"cancel", "some", "--retries", "3"});
  const Finished create = run_client(server.address(), {"key", "create", "--permissions", "admin", "--retries", "3"});

  EXPECT_EQ(cancel.code, 5);
  EXPECT_EQ(create.code, 5);
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(CliWire, NoServerHasItsOwnExitCodeAndAdvice) {
  std::string address;
  {
    const TinyServer gone([](const auto&...) { return std::string(); });
    address = gone.address();
  }

  const Finished done = run_client(address, {"get", "x"});

  EXPECT_EQ(done.code, 5);
  EXPECT_THAT(done.errors, StartsWith("semel: cannot reach http://" + address));
  EXPECT_THAT(done.errors, HasSubstr("--url or SEMEL_URL"));
}

TEST(CliWire, SomeOtherServerIsNoticed) {
  TinyServer page([](const auto&...) { return TinyServer::json(200, "<html>"); });
  TinyServer gate([](const auto&...) { return TinyServer::json(404, "<html>"); });

  const Finished good = run_client(page.address(), {"get", "x"});
  const Finished bad = run_client(gate.address(), {"get", "x"});

  EXPECT_EQ(good.code, 1);
  EXPECT_THAT(good.errors, HasSubstr("is this a Semel server"));
  EXPECT_EQ(bad.code, 4);
  EXPECT_THAT(bad.errors, HasSubstr("is this a Semel server"));
}

TEST(CliWire, UrlAndKeyComeFromTheEnvironmentToo) {
  TinyServer server([](const auto&...) {
    return TinyServer::json(401, R"({"error":{"code":"UNAUTHORIZED","message":"unknown key"}})");
  });

  const Finished done =
      run_to_end({"env", "SEMEL_URL=http://" + server.address(), "SEMEL_KEY=semel_k", places::semel, "get", "x"});

  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(server.requests().at(0), HasSubstr("Authorization: Bearer semel_k\r\n"));
  EXPECT_EQ(done.errors, "semel: unknown key (401 UNAUTHORIZED); give an API key with --key or SEMEL_KEY\n");
}

TEST(CliWire, TasksAreListed) {
  TinyServer server([](const auto&...) {
    return TinyServer::json(
        200,
        R"({"tasks":[{"task_uuid":"u1","task_id":"order-1","kind":"task","status":"failed","namespace":"shop",)"
        R"("name":"invoice","version":"1.2.0","handler":"invoice","queue":"q","priority":0,)"
        R"("created_at":"2020-01-20T12:00:00.000Z","run_at":"2020-01-20T12:00:00.000Z","attempt":2},)"
        R"({"task_uuid":"u2","task_id":"u2","kind":"task","status":"pending","handler":"ship","queue":"q","priority":0,)"
        R"("created_at":"2020-01-20T12:00:00.000Z","run_at":"2020-01-20T12:00:00.000Z","attempt":0}],)"
        R"("next_cursor":"c2"})");
  });

  const Finished done = run_client(server.address(), {"ls", "--namespace", "shop", "--name", "invoice", "--queue", "q",
                                                      "--status", "failed", "--label", "team=a b", "--created-after",
                                                      "2020-01-01T00:00:00Z", "--limit", "2", "--cursor", "c1"});

  EXPECT_EQ(TinyServer::target_of(server.requests().at(0)),
            "/v1/tasks?namespace=shop&name=invoice&queue=q&status=failed&label=team%3Da%20b&"
            "created_after=2020-01-01T00%3A00%3A00.000Z&limit=2&cursor=c1");
  EXPECT_EQ(done.code, 0) << done.errors;
  EXPECT_THAT(done.output, MatchesRegex("TASK +STATUS +NAME +QUEUE +KEY +ATTEMPT +CREATED +CLOSED\n"
                                        "u1 +failed +shop/invoice 1.2.0 +q +order-1 +2 +[0-9]+d ago\n"
                                        "u2 +pending +ship +q +0 +[0-9]+d ago\n"
                                        "more: --cursor c2\n"));
}

TEST(CliWire, KeysAreMadeListedAndRevoked) {
  TinyServer server([](const std::string& request, std::size_t) {
    if (request.starts_with("POST"))
      return TinyServer::json(
          201, R"({"key":"semel_secret","id":"k1","tenant":"acme","name":"web",)"
               R"("permissions":["tasks:create","tasks:read"],"created_at":"2020-01-20T12:00:00.000Z"})");
    if (request.starts_with("DELETE")) return std::string("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    return TinyServer::json(200, R"({"keys":[{"id":"k1","tenant":"acme","permissions":["admin"],)"
                                 R"("created_at":"2020-01-20T12:00:00.000Z","created_by":"root"}]})");
  });

  const Finished made = run_client(server.address(), {"key", "create", "--tenant", "acme", "--name", "web", "--expires",
                                                      "90d", "--permissions", "tasks:create,tasks:read"});
  const Finished listed = run_client(server.address(), {"key", "ls"});
  const Finished revoked = run_client(server.address(), {"key", "revoke", "k1"});

  const std::vector<std::string> requests = server.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(Json::parse(TinyServer::body_of(requests[0])), (Json{{"tenant", "acme"},
                                                                 {"name", "web"},
                                                                 {"expires_in", "90d"},
                                                                 {"permissions", {"tasks:create", "tasks:read"}}}));
  EXPECT_EQ(made.code, 0) << made.errors;
  EXPECT_THAT(made.output, StartsWith("key          semel_secret\nid           k1\n"));
  EXPECT_THAT(made.errors, HasSubstr("shown only once"));
  EXPECT_THAT(listed.output, MatchesRegex("ID .*\nk1 +acme +admin +[0-9]+d ago +root\n"));
  EXPECT_EQ(TinyServer::target_of(requests[2]), "/v1/keys/k1");
  EXPECT_EQ(revoked.code, 0) << revoked.errors;
  EXPECT_EQ(revoked.output, "revoked\n");
}

TEST(CliWire, TheAuditLogIsShown) {
  TinyServer server([](const auto&...) {
    return TinyServer::json(200, R"({"entries":[{"seq":7,"at":"2020-01-20T12:00:00.000Z","actor":"root",)"
                                 R"("action":"identity.release","subject":"a\u001b[2Jb"}],"next_cursor":"6"})");
  });

  const Finished done = run_client(server.address(), {"audit", "--limit", "1"});

  EXPECT_EQ(TinyServer::target_of(server.requests().at(0)), "/v1/audit?limit=1");
  EXPECT_THAT(done.output,
              MatchesRegex("SEQ .*\n7 +2020-01-20 12:00:00 UTC \\(.* ago\\) +root +identity.release +a\\?\\[2Jb\n"
                           "more: --cursor 6\n"));
}

struct WrongUse {
  std::vector<std::string> arguments;
  std::string why;
};

TEST(CliUsage, ThatIsWrongNamesTheOptionAndEndsWithTwo) {
  const std::vector<WrongUse> uses{
      {{"submit"}, "give the NAME of a template, --handler"},
      {{"submit", "n", "--handler", "h"}, "name excludes --handler"},
      {{"submit", "n", "--context", "{"}, "the context is not JSON"},
      {{"submit", "n", "--context-file", "no/such"}, "cannot read no/such"},
      {{"submit", "n", "--context", "1", "--context-file", "x"}, "--context excludes --context-file"},
      {{"submit", "n", "--ttl", "soon"}, "--ttl: 'soon' is not a duration"},
      {{"submit", "n", "--wait", "long"}, "--wait: 'long' is not a duration"},
      {{"submit", "n", "--priority", "200"}, "--priority"},
      {{"submit", "n", "--reuse", "always"}, "--reuse"},
      {{"submit", "n", "--url", "localhost"}, "'localhost' is not a url such as"},
      {{"submit", "n", "--url", "ftp://a"}, "is not a url"},
      {{"submit", "n", "--key", "a b"}, "--key: an API key has only visible"},
      {{"submit", "--batch", "no/such"}, "cannot read no/such"},
      {{"submit", "--batch", "x", "--queue", "q"}, "--queue does not go with --batch"},
      {{"sumbit"}, "there is no command 'sumbit'; did you mean submit?"},
      {{"sumbit", "--handler", "h"}, "there is no command 'sumbit'; did you mean submit?"},
      {{"tasks", "ls"}, "there is no command 'tasks'"},
      {{"bulk", "cancle", "--all"}, "there is no command 'cancle'; did you mean cancel?\nTry: semel bulk --help"},
      {{"template", "get", "a/b/c/d"}, "'a/b/c/d' is no template: name it NAMESPACE/NAME"},
      {{"submit", "--handler", "h", "--prioritty", "5"}, "there is no option --prioritty; did you mean --priority?"},
      {{"submit", "n", "--quue=a"}, "there is no option --quue; did you mean --queue?"},
      {{"server", "--stor", "sqlite:x.db"}, "there is no option --stor; did you mean --store?"},
      {{"--url", "http://a", "get", "x"}, "--url must come after the command"},
      {{"--url", "http://a", "workflow", "get", "x"}, "--url must come after the command"},
      {{"server", "now"}, "was not expected: now"},
      {{"get"}, "give the ID of a task"},
      {{"result"}, "id is required"},
      {{"cancel"}, "id is required"},
      {{"ls", "--status", "lost"}, "--status"},
      {{"ls", "--created-after", "never"}, "--created-after: 'never' is neither"},
      {{"explain"}, "give the NAME of a template"},
      {{"template"}, "A subcommand is required"},
      {{"template", "apply"}, "files is required"},
      {{"key", "create"}, "--permissions is required"},
      {{"key", "create", "--permissions", "admin", "--expires", "x"}, "--expires: 'x'"},
      {{"key", "revoke"}, "id is required"},
      {{"backup", "--to", "x"}, "--store is required"},
      {{"backup", "--store", "x.db", "--to", "y"}, "--store: 'x.db' is not a store"},
      {{"restore", "--store", "sqlite:x"}, "--from is required"},
      {{"completion", "tcsh"}, "tcsh"}};
  for (const WrongUse& use : uses) {
    const Finished done = run_semel(use.arguments);

    EXPECT_EQ(done.code, 2) << testing::PrintToString(use.arguments);
    EXPECT_THAT(done.errors, HasSubstr(use.why)) << testing::PrintToString(use.arguments);
    EXPECT_EQ(done.output, "") << testing::PrintToString(use.arguments);
  }
}

TEST(CliUsage, OfEveryCommandHasAnExample) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{"submit"},
                                                                                       {"get"},
                                                                                       {"ls"},
                                                                                       {"result"},
                                                                                       {"cancel"},
                                                                                       {"explain"},
                                                                                       {"template"},
                                                                                       {"template", "apply"},
                                                                                       {"template", "ls"},
                                                                                       {"template", "get"},
                                                                                       {"template", "validate"},
                                                                                       {"key"},
                                                                                       {"key", "create"},
                                                                                       {"key", "ls"},
                                                                                       {"key", "revoke"},
                                                                                       {"audit"},
                                                                                       {"backup"},
                                                                                       {"restore"},
                                                                                       {"doctor"},
                                                                                       {"completion"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--help");
    const Finished help = run_semel(arguments);

    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.output, MatchesRegex("(.|\n)*Examples?:\n(.|\n)*semel " + command[0] + "(.|\n)*"))
        << testing::PrintToString(command);
  }
}

}  // namespace
}  // namespace semel::test
