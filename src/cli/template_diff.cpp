#include <CLI/CLI.hpp>

#include "base/json/canonical.hpp"
#include "base/json/diff.hpp"
#include "base/json/pointer.hpp"
#include "base/json/writer.hpp"
#include "cli/client.hpp"
#include "cli/client/query.hpp"
#include "cli/commands.hpp"
#include "cli/template_file.hpp"

namespace semel::cli {
namespace {

constexpr std::size_t differences_max = 200;
constexpr std::size_t value_chars_max = 60;

std::string value_at(std::string_view canonical, const json::Pointer& pointer) {
  const auto found = json::find(canonical, pointer);
  return found ? shorten(std::string(*found), value_chars_max) : "(absent)";
}

/// "  /queue: "paper" → "paperwork"", a line for each place.
std::string differences(std::string_view registered, std::string_view in_file, const std::vector<std::string>& places) {
  std::string lines;
  for (const std::string& place : places) {
    const json::Pointer pointer = json::Pointer::parse(place).value();
    lines += printable(fmt::format("  {}: {} → {}", place, value_at(registered, pointer), value_at(in_file, pointer))) +
             "\n";
  }
  return lines;
}

/// What the server has of the version that the file has; an empty document when it has none.
struct Registered {
  std::string document;
  std::string revision;
};

std::optional<Registered> find_registered(Client& client, const domain::Template& wanted, int& code) {
  const std::string target = fmt::format("/v1/templates/{}/{}/{}", percent_encode(wanted.namespace_),
                                         percent_encode(wanted.name), percent_encode(wanted.version));
  const Result<HttpReply> reply = client.call({.target = target});
  if (reply && reply->status == 404) return Registered{};
  if (!reply || reply->status != 200) {
    code = client.fail(reply);
    return std::nullopt;
  }
  const JsonView answer = JsonView::parse(reply->body);
  const Result<std::string> document = json::canonicalize(std::string(answer["document"].raw()));
  return Registered{document.value_or(""), answer["revision"].text()};
}

void show_json(const TemplateFile& file, const Registered& registered, const std::vector<std::string>& places) {
  json::Writer writer;
  writer.begin_object().string("file", file.file).string("namespace", file.template_.namespace_);
  writer.string("name", file.template_.name).string("version", file.template_.version);
  writer.boolean("registered", !registered.document.empty());
  if (!registered.document.empty()) writer.raw("revision", registered.revision);
  writer.key("differences").begin_array();
  for (const std::string& place : places) writer.string(place);
  print(writer.end_array().end_object().take() + "\n");
}

void show_text(const TemplateFile& file, const Registered& registered, const std::vector<std::string>& places) {
  const domain::Template& template_ = file.template_;
  std::string text = fmt::format("{}: {}/{} {} ", file.file, template_.namespace_, template_.name, template_.version);
  if (registered.document.empty()) text += "is not registered";
  else text += fmt::format("{} revision {}", places.empty() ? "is the same as" : "differs from", registered.revision);
  print(printable(text) + "\n");
  if (!registered.document.empty()) print(differences(registered.document, template_.document, places));
}

/// As diff(1) ends: 0 when all is the same, 1 when something differs.
int diff_file(Client& client, const std::string& path) {
  const Result<TemplateFile> file = read_template_file(path);
  if (!file) return refuse_failed(file.error().message);
  int code = exit_code::ok;
  const auto registered = find_registered(client, file->template_, code);
  if (!registered) return code;
  std::vector<std::string> places;
  if (!registered->document.empty())
    places = json::diff(registered->document, file->template_.document, differences_max);
  if (client.json()) show_json(*file, *registered, places);
  else show_text(*file, *registered, places);
  return registered->document.empty() || !places.empty() ? exit_code::failed : exit_code::ok;
}

int diff_all(Client& client, const std::vector<std::string>& paths) {
  const Result<std::vector<std::string>> files = find_template_files(paths);
  if (!files) return refuse_failed(files.error().message);
  int worst = exit_code::ok;
  for (const std::string& file : *files) worst = std::max(worst, diff_file(client, file));
  return worst;
}

}  // namespace

void add_template_diff(CLI::App& group, int& exit_code) {
  CLI::App* command = group.add_subcommand("diff", "Show where templates in files differ from those registered.");
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("files", *paths, "Files in YAML or JSON, or folders of them")->required();
  const auto options = add_client_options(*command);
  command->footer("Example:\n  semel template diff invoice.yaml");
  command->callback([options, paths, &exit_code] {
    exit_code = run_client(*options, [&](Client& client) { return diff_all(client, *paths); });
  });
}

}  // namespace semel::cli
