#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"
#include "cli/template_file.hpp"

namespace semel::cli {
namespace {

using Files = std::vector<std::string>;

/// All files, or nothing when one of them is wrong: that is said of each.
std::optional<std::vector<TemplateFile>> read_all(const Files& paths, int& code) {
  const Result<Files> files = find_template_files(paths);
  if (!files) {
    code = refuse_failed(files.error().message);
    return std::nullopt;
  }
  std::vector<TemplateFile> read;
  bool is_good = true;
  for (const std::string& file : *files) {
    Result<TemplateFile> each = read_template_file(file);
    if (each) read.push_back(*std::move(each));
    else print_error(printable(each.error().message) + "\n");
    is_good = is_good && each;
  }
  if (is_good) return read;
  code = exit_code::failed;
  return std::nullopt;
}

int validate(const Files& paths) {
  int code = exit_code::ok;
  const auto files = read_all(paths, code);
  if (!files) return code;
  for (const TemplateFile& each : *files) {
    print(fmt::format("{}: ok, {}/{} {}\n", each.file, each.template_.namespace_, each.template_.name,
                      each.template_.version));
  }
  return exit_code::ok;
}

void show_applied(const TemplateFile& file, bool is_new, const JsonView& answer) {
  const bool changed = answer["changed"].raw() == "true";
  print(fmt::format("{}: {}/{} {} {} (revision {})\n", file.file, file.template_.namespace_, file.template_.name,
                    file.template_.version,
                    is_new    ? "created"
                    : changed ? "changed"
                              : "unchanged",
                    answer["revision"].text()));
}

/// Safe to repeat: the same content changes nothing.
int apply_files(Client& client, const Files& paths) {
  int code = exit_code::ok;
  const auto files = read_all(paths, code);
  if (!files) {
    print_error("semel: nothing was applied; mend these files first\n");
    return code;
  }
  for (const TemplateFile& file : *files) {
    HttpCall call{.method = "PUT", .target = "/v1/templates", .body = file.text};
    if (!file.is_json) call.content_type = "application/yaml";
    const Result<HttpReply> reply = client.call(call);
    code = client.finish(reply, [&](const JsonView& answer) { show_applied(file, reply->status == 201, answer); });
    if (code == exit_code::ok) continue;
    print_error(fmt::format("semel: stopped at {}; the files before it are applied\n", file.file));
    return code;
  }
  return code;
}

int list_templates(Client& client) {
  return client.finish(client.call({.target = "/v1/templates"}), [&](const JsonView& answer) {
    Table table({"NAMESPACE", "NAME", "VERSION", "REVISION"});
    for (const JsonView& each : answer["templates"].elements()) {
      table.add({each["namespace"].text(), each["name"].text(), each["version"].text(), each["revision"].text()});
    }
    if (table.empty()) print("no templates; semel template apply FILE registers one\n");
    else client.print_table(table);
  });
}

void show_template(const Client& client, const JsonView& template_) {
  Table facts;
  for (const auto& [name, value] : template_.members()) facts.add({{name, Color::faint}, value.text()});
  client.print_table(facts);
}

/// "NAMESPACE/NAME[/VERSION]", or a bare NAME of the namespace default.
int get(Client& client, const std::string& which) {
  std::string path;
  std::string_view rest = which;
  for (std::size_t slash = 0; slash != std::string_view::npos; rest = rest.substr(slash + 1)) {
    slash = rest.find('/');
    path += "/" + percent_encode(rest.substr(0, slash));
    if (slash == std::string_view::npos) break;
  }
  if (which.find('/') == std::string::npos) path = "/default" + path;
  return client.finish(client.call({.target = "/v1/templates" + path}), [&](const JsonView& answer) {
    if (!answer["versions"].exists()) return show_template(client, answer);
    const std::vector<JsonView> versions = answer["versions"].elements();
    for (std::size_t i = 0; i < versions.size(); ++i) {
      if (i > 0) print("\n");
      show_template(client, versions[i]);
    }
  });
}

void add_apply(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("apply", "Register templates, or new revisions of them.");
  auto paths = std::make_shared<Files>();
  command->add_option("files", *paths, "Files in YAML or JSON, or folders of them")->required();
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel template apply invoice.yaml templates/");
  command->callback([options, paths, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return apply_files(client, *paths); });
  });
}

void add_template_list(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("ls", "List the templates.");
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel template ls");
  command->callback([options, &exit_code] { exit_code = run_client(*options, list_templates); });
}

void add_show(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("get", "Show a template.");
  auto which = std::make_shared<std::string>();
  command->add_option("template", *which, "NAMESPACE/NAME[/VERSION], or a NAME of the namespace default")->required();
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel template get shop/invoice/1.2.0");
  command->callback([options, which, &exit_code] {
    if (std::ranges::count(*which, '/') > 2) {
      exit_code =
          refuse_usage(fmt::format("'{}' is no template: name it NAMESPACE/NAME or NAMESPACE/NAME/VERSION", *which));
      return;
    }
    exit_code = run_client(*options, [&](Client& client) { return get(client, *which); });
  });
}

void add_validate(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("validate", "Check templates without a server.");
  auto paths = std::make_shared<Files>();
  command->add_option("files", *paths, "Files in YAML or JSON, or folders of them")->required();
  command->footer("Example:\n  semel template validate templates/");
  command->callback([paths, &exit_code] { exit_code = validate(*paths); });
}

}  // namespace

void add_template(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("template", "Register, read and check templates (named tasks).");
  group->require_subcommand(1);
  add_apply(*group, exit_code);
  add_template_list(*group, exit_code);
  add_show(*group, exit_code);
  add_template_diff(*group, exit_code);
  add_validate(*group, exit_code);
  group->footer("Example:\n  semel template apply invoice.yaml");
}

}  // namespace semel::cli
