#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "base/utf8.hpp"
#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"
#include "server/offline.hpp"
#include "server/options.hpp"

namespace semel::cli {
namespace {

struct NewKey {
  std::optional<std::string> tenant, name, expires;
  std::vector<std::string> permissions;
};

std::string permissions_of(const JsonView& key) {
  std::string all;
  for (const JsonView& each : key["permissions"].elements()) all += (all.empty() ? "" : ",") + each.text();
  return all;
}

Result<std::string> body_of(const NewKey& key) {
  json::Writer writer;
  writer.begin_object();
  for (const auto& [name, value] : {std::pair{"tenant", key.tenant}, {"name", key.name}, {"expires_in", key.expires}}) {
    if (value && !is_utf8(*value)) return bad_request("{} is not UTF-8", name);
    if (value) writer.string(name, *value);
  }
  writer.key("permissions").begin_array();
  for (const std::string& each : key.permissions) {
    if (!is_utf8(each)) return bad_request("--permissions: not UTF-8");
    writer.string(each);
  }
  return writer.end_array().end_object().take();
}

/// Not repeated: each try would make a key.
int create(Client& client, const NewKey& key) {
  if (key.expires) {
    if (const auto length = read_duration("--expires", *key.expires); !length)
      return refuse_usage(length.error().message);
  }
  Result<std::string> body = body_of(key);
  if (!body) return refuse_usage(body.error().message);
  const HttpCall call{.method = "POST", .target = "/v1/keys", .body = *std::move(body)};
  return client.finish(client.call(call, Repeat::never), [&](const JsonView& made) {
    Table facts;
    facts.add({{"key", Color::faint}, made["key"].text()});
    for (const char* name : {"id", "tenant", "name"}) {
      if (made[name].exists()) facts.add({{name, Color::faint}, made[name].text()});
    }
    facts.add({{"permissions", Color::faint}, permissions_of(made)});
    if (made["expires_at"].exists()) facts.add({{"expires", Color::faint}, client.time(made["expires_at"])});
    client.print_table(facts);
    print_error("Keep the key now: it is shown only once.\n");
  });
}

int list_keys(Client& client) {
  return client.finish(client.call({.target = "/v1/keys"}), [&](const JsonView& answer) {
    Table table({"ID", "TENANT", "NAME", "PERMISSIONS", "CREATED", "BY", "EXPIRES", "REVOKED"});
    for (const JsonView& key : answer["keys"].elements()) {
      const bool is_revoked = key["revoked_at"].exists();
      table.add({key["id"].text(),
                 key["tenant"].text(),
                 key["name"].text(),
                 permissions_of(key),
                 client.age(key["created_at"]),
                 key["created_by"].text(),
                 client.age(key["expires_at"]),
                 {client.age(key["revoked_at"]), is_revoked ? Color::red : Color::none}});
    }
    if (table.empty()) print("no keys; semel key create makes one\n");
    else client.print_table(table);
  });
}

int revoke(Client& client, const std::string& id) {
  const HttpCall call{.method = "DELETE", .target = "/v1/keys/" + percent_encode(id)};
  return client.finish(client.call(call, Repeat::never), [](const JsonView&) { print("revoked\n"); });
}

/// The options of a client, and the store to work on instead of a server's.
struct Target {
  std::shared_ptr<ClientOptions> client;
  std::string store;
};

std::shared_ptr<Target> target_of(CLI::App& command) {
  auto target = std::make_shared<Target>();
  target->client = add_client_options(command);
  command.add_option("--store", target->store,
                     "Work on this store instead of a server: sqlite:FILE of a stopped one, or postgres://…");
  return target;
}

int run_on(const Target& target, const std::function<int(Client&)>& act) {
  if (target.store.empty()) return run_client(*target.client, act);
  const Result<server::StoreTarget> store = server::parse_store(target.store);
  if (!store) return refuse_usage(store.error().message);
  const server::Offline offline(*store);
  ClientOptions options = *target.client;
  options.url = offline.url();
  options.key = offline.secret();
  return run_client(options, act);
}

void add_create(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("create", "Make an API key, and show it once.");
  auto key = std::make_shared<NewKey>();
  command->add_option("--permissions", key->permissions, "What it may do: tasks:create,tasks:read,…")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--tenant", key->tenant, "Whose key it is");
  command->add_option("--name", key->name, "For humans: who uses it");
  command->add_option("--expires", key->expires, "How long it is good: 90d; without end if absent");
  const auto target = target_of(*command);
  command->footer(
      "Example:\n  semel key create --name web --permissions tasks:create,tasks:read --expires 90d\n"
      "  semel key create --store sqlite:./semel.db --name first --permissions admin");
  command->callback(
      [target, key, &exit_code] { exit_code = run_on(*target, [&](Client& client) { return create(client, *key); }); });
}

void add_key_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("ls", "List the API keys; the keys themselves are known to nobody.");
  const auto target = target_of(*command);
  command->footer("Example:\n  semel key ls");
  command->callback([target, &exit_code] { exit_code = run_on(*target, list_keys); });
}

void add_revoke(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("revoke", "End an API key at once.");
  auto id = std::make_shared<std::string>();
  command->add_option("id", *id, "The key's id, as semel key ls shows it")->required();
  const auto target = target_of(*command);
  command->footer("Example:\n  semel key revoke 3f9a01c2d4e5");
  command->callback(
      [target, id, &exit_code] { exit_code = run_on(*target, [&](Client& client) { return revoke(client, *id); }); });
}

}  // namespace

void add_key(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("key", "Make, list and revoke API keys.");
  group->require_subcommand(1);
  add_create(*group, exit_code);
  add_key_list(*group, exit_code);
  add_revoke(*group, exit_code);
  group->footer("Example:\n  semel key ls");
}

}  // namespace semel::cli
