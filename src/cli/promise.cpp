#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "base/uuid7_source.hpp"
#include "cli/client/query.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"
#include "cli/workflow.hpp"

namespace semel::cli {
namespace {

struct PromiseOptions {
  std::string id;
  std::optional<std::string> key, timeout, on_duplicate;
  std::string value = "null";
  std::string type = "REJECTED";
  std::string message;
};

void show_promise(const Client& client, const JsonView& promise) {
  Table facts;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) facts.add({{name, Color::faint}, text});
  };
  add("promise", promise["promise_id"].text());
  add("key", promise["idempotency_key"].text());
  facts.add({{"status", Color::faint}, Client::status(promise["status"])});
  add("workflow", promise["run_id"].text());
  for (const char* time : {"created_at", "deadline", "closed_at"}) add(time, client.time(promise[time]));
  add("value", std::string(promise["value"].raw()));
  add("error", std::string(promise["error"].raw()));
  client.print_table(facts);
}

/// The uuid is made once, so that sending it again creates no second promise.
int create_promise(Client& client, const PromiseOptions& options) {
  Uuid7Source ids(secure_random);
  const std::string uuid = ids.next(client.now()).text();
  json::Writer body;
  body.begin_object().string("task_uuid", uuid);
  if (options.key) body.string("idempotency_key", *options.key);
  if (options.on_duplicate) body.string("on_duplicate", *options.on_duplicate);
  if (options.timeout) {
    const Result<Duration> timeout = read_duration("--expires-in", *options.timeout);
    if (!timeout) return refuse_usage(timeout.error().message);
    body.integer("timeout_ms", timeout->count());
  }
  const HttpCall call{.method = "POST", .target = "/v1/promises", .body = body.end_object().take()};
  const Result<HttpReply> reply = client.call(call);
  const int code = client.finish(reply, [&](const JsonView& answer) {
    const bool is_new = reply->status == 201 || answer["promise_id"].text() == uuid;
    const std::string status = answer["status"].text();
    print(fmt::format("{}  {}  {}\n", printable(answer["promise_id"].text()), is_new ? "created" : "exists already",
                      paint(printable(status), color_of_status(status), client.colored())));
  });
  if (!reply || code == exit_code::ok) return code;
  return exit_code_of_submission(reply->status, JsonView::parse(reply->body)["error"]["code"].text());
}

/// By its id, or by its key. Sending it again is safe: a promise is settled once.
int settle_promise(Client& client, const PromiseOptions& options, const char* verb, const std::string& said) {
  json::Writer body;
  body.begin_object();
  if (options.key) body.string("key", *options.key);
  body.raw(std::string_view(verb) == "resolve" ? "value" : "error", said);
  const std::string target = options.key ? fmt::format("/v1/promises:{}", verb)
                                         : fmt::format("/v1/promises/{}/{}", percent_encode(options.id), verb);
  const HttpCall call{.method = "POST", .target = target, .body = body.end_object().take()};
  return client.finish(client.call(call), [](const JsonView& answer) {
    const bool before = answer["already_resolved"].text() == "true";
    print(fmt::format("{}{}\n", printable(answer["status"].text()), before ? " before" : ""));
  });
}

int resolve_promise(Client& client, const PromiseOptions& options) {
  const Result<std::string> value = read_json_option("--value", options.value);
  if (!value) return refuse_usage(value.error().message);
  return settle_promise(client, options, "resolve", *value);
}

int reject_promise(Client& client, const PromiseOptions& options) {
  json::Writer error;
  error.begin_object().string("type", options.type).string("message", options.message).end_object();
  return settle_promise(client, options, "reject", error.take());
}

/// By its key, whoever holds that is asked for its id first.
int get_promise(Client& client, const PromiseOptions& options) {
  std::string id = options.id;
  if (options.key) {
    Query query;
    query.add("key", options.key);
    const Result<HttpReply> found = client.call({.target = "/v1/tasks/by-key" + query.text()});
    if (!found || found->status != 200) return client.fail(found);
    id = JsonView::parse(found->body)["holder"]["execution_id"].text();
  }
  return client.finish(client.call({.target = "/v1/promises/" + percent_encode(id)}),
                       [&](const JsonView& promise) { show_promise(client, promise); });
}

/// A subcommand about one promise.
struct PromiseCommand {
  CLI::App* app;
  std::shared_ptr<PromiseOptions> promise = std::make_shared<PromiseOptions>();

  PromiseCommand(CLI::App& group, const char* verb, const char* what) : app(group.add_subcommand(verb, what)) {
    CLI::Option* id = app->add_option("id", promise->id, "The promise's uuid");
    app->add_option("--idempotency-key", promise->key, "Or its key")->excludes(id);
    app->footer(fmt::format("Example:\n  semel promise {} --idempotency-key approve-7", verb));
  }

  void runs(int (*act)(Client&, const PromiseOptions&), int& exit_code) const {
    const auto options = add_client_options(*app);
    app->callback([options, promise = promise, act, &exit_code] {
      if (promise->id.empty() && !promise->key) {
        exit_code = refuse_usage("give the uuid of a promise, or --idempotency-key");
        return;
      }
      exit_code = run_client(*options, [&](Client& client) { return act(client, *promise); });
    });
  }
};

void add_promise_resolve(CLI::App& group, int& exit_code) {
  const PromiseCommand command(group, "resolve", "Say what was promised, once.");
  command.app->add_option("--value", command.promise->value, "What is said, as JSON; - reads it")
      ->capture_default_str();
  command.runs(resolve_promise, exit_code);
}

void add_promise_reject(CLI::App& group, int& exit_code) {
  const PromiseCommand command(group, "reject", "Say that it will never come, once.");
  command.app->add_option("--message", command.promise->message, "Why, for people")->required();
  command.app->add_option("--type", command.promise->type, "Why, for programs")->capture_default_str();
  command.app->footer("Example:\n  semel promise reject --idempotency-key approve-7 --message 'too dear'");
  command.runs(reject_promise, exit_code);
}

void add_promise_create(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("create", "Create a promise: what somebody will say later.");
  auto promise = std::make_shared<PromiseOptions>();
  command->add_option("--idempotency-key", promise->key, "What identifies it, and whom it is settled by");
  command->add_option("--expires-in", promise->timeout, "How long to wait for it: 24h; for ever if absent");
  command->add_option("--on-duplicate", promise->on_duplicate, "What a duplicate gets")
      ->check(CLI::IsMember({"reject", "describe", "return_existing"}));
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel promise create --idempotency-key approve-7 --expires-in 24h");
  command->callback([options, promise, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return create_promise(client, *promise); });
  });
}

}  // namespace

void add_promise(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("promise", "Create, read and settle promises.");
  group->require_subcommand(1);
  add_promise_create(*group, exit_code);
  PromiseCommand(*group, "get", "Show a promise.").runs(get_promise, exit_code);
  add_promise_resolve(*group, exit_code);
  add_promise_reject(*group, exit_code);
  group->footer("Example:\n  semel promise resolve --idempotency-key approve-7 --value true");
}

}  // namespace semel::cli
