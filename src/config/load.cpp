#include "config/load.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

#include "base/json/text.hpp"
#include "base/nearest.hpp"
#include "config/toml_file.hpp"
#include "domain/names.hpp"
#include "domain/queue_option.hpp"

namespace semel::config {
namespace {

/// The client commands' address, key and trust, the library of exports, what the project's own test runner sets, and
/// secrets: those are not settings, so that nothing which shows settings can show them (server/open_targets.cpp reads
/// them).
constexpr std::array<std::string_view, 7> foreign{"SEMEL_URL",
                                                  "SEMEL_KEY",
                                                  "SEMEL_CA_CERT",
                                                  "SEMEL_DUCKDB",
                                                  "SEMEL_LONG",
                                                  "SEMEL_DISPATCH_SIGNING_SECRET",
                                                  "SEMEL_CLOUD_TASKS_CREDENTIALS"};

constexpr std::string_view queues_prefix = "queues.";

/// What a handler of `semel work` is told of its task; it may start a server as well as any other program.
constexpr std::string_view task_prefix = "SEMEL_TASK_";

bool is_foreign(std::string_view name) {
  return name.starts_with(task_prefix) || std::ranges::find(foreign, name) != foreign.end();
}

/// Settings are in small letters and variables in capitals, like all that are known: the case is no slip of its own.
std::string in_case_of(std::string_view text, std::string_view known) {
  const bool is_upper = std::isupper(static_cast<unsigned char>(known.front())) != 0;
  std::string made(text);
  for (char& letter : made) {
    const auto code = static_cast<unsigned char>(letter);
    letter = static_cast<char>(is_upper ? std::toupper(code) : std::tolower(code));
  }
  return made;
}

template <typename Name>
std::string meant(std::string_view text, Name name_of) {
  std::vector<std::string> names;
  for (const Setting& setting : settings()) names.push_back(name_of(setting));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::optional<std::string_view> name = nearest(in_case_of(text, known.front()), known);
  return name ? fmt::format("did you mean {}?", *name) : "`semel config print` shows all settings";
}

/// Puts values on top of each other, and collects what is wrong with them.
class Loading {
 public:
  Loading() { loaded_.origins.assign(settings().size(), "default"); }

  void read_file(const std::filesystem::path& file) {
    const Result<std::vector<TomlValue>> values = read_toml(file);
    if (!values) return problem(values.error().message);
    for (const TomlValue& value : *values) take(value, fmt::format("{}:{}", file.string(), value.line));
  }

  void read_environment(const std::map<std::string, std::string>& environment) {
    for (const auto& [name, text] : environment) {
      if (!name.starts_with("SEMEL_") || is_foreign(name)) continue;
      const auto has_name = [&](const Setting& setting) { return setting.environment() == name; };
      const auto setting = std::ranges::find_if(settings(), has_name);
      if (setting != settings().end()) take(*setting, text, name);
      else problem(fmt::format("{} is no setting; {}", name, meant(name, std::mem_fn(&Setting::environment))));
    }
  }

  void take(const Setting& setting, std::string_view text, std::string origin) {
    const Result<void> set = setting.set(loaded_.options, text);
    if (!set) problem(origin + ": " + set.error().message);
    origin_of(setting) = std::move(origin);
  }

  Result<Loaded> finish() && {
    if (problems_.empty()) check();
    if (!problems_.empty()) return bad_request("{}", fmt::join(problems_, "\n"));
    return std::move(loaded_);
  }

 private:
  void take(const TomlValue& value, std::string origin) {
    if (value.path.starts_with(queues_prefix)) return take_queue(value, std::move(origin));
    const Setting* setting = find_setting(value.path);
    if (value.path.starts_with("queue."))
      return problem(fmt::format("{}: '{}' is no setting; did you mean [queues.NAME], with an s?", origin, value.path));
    if (setting == nullptr) {
      const auto name_of = [](const Setting& each) { return std::string(each.name); };
      return problem(fmt::format("{}: '{}' is no setting; {}", origin, value.path, meant(value.path, name_of)));
    }
    if (value.form == setting->form()) return take(*setting, value.text, std::move(origin));
    const std::string given = value.form == Form::text ? "the text '" + value.text + "'" : value.text;
    problem(fmt::format("{}: {} must be {}, not {}", origin, setting->name, setting->expected(), given));
  }

  /// "queues.NAME.OPTION"; a name may have dots, an option has none.
  void take_queue(const TomlValue& value, std::string origin) {
    const std::string_view rest = std::string_view(value.path).substr(queues_prefix.size());
    const std::size_t dot = rest.rfind('.');
    if (!value.form || dot == std::string_view::npos) {
      return problem(fmt::format("{}: {} is {}; a queue has a table of options, such as [queues.mail]", origin,
                                 value.path, value.form ? "a value" : value.text));
    }
    const std::string name(rest.substr(0, dot));
    const std::string_view option = rest.substr(dot + 1);
    Result<void> good = domain::check_name("a queue's name", name);
    if (good) good = domain::set_queue_option(loaded_.options.queues[name], option, value.text);
    if (good) good = check_form(option, *value.form);
    if (!good) return problem(fmt::format("{}: {}", origin, good.error().message));
    const std::string text = value.form == Form::text ? json::quote(value.text) : value.text;
    loaded_.queues.push_back({value.path, text, std::move(origin)});
  }

  static Result<void> check_form(std::string_view option, Form form) {
    const bool is_number = option == "rate_burst" || option.starts_with("max_");
    const Form wanted = option == "paused" ? Form::boolean : is_number ? Form::number : Form::text;
    if (form == wanted) return {};
    return bad_request("{} must be {}", option,
                       wanted == Form::boolean ? "true or false"
                       : is_number             ? "a number"
                                               : "a text in quotes");
  }

  void check() {
    for (const QueueValue& value : loaded_.queues) {
      const std::string_view rest = std::string_view(value.path).substr(queues_prefix.size());
      const std::string name(rest.substr(0, rest.rfind('.')));
      const Result<void> fits = domain::check(loaded_.options.queues[name]);
      if (!fits) problem(value.origin + ": " + fits.error().message);
    }
    for (const Setting& setting : settings()) {
      if (setting.check == nullptr) continue;
      const Result<void> fits = setting.check(loaded_.options);
      if (!fits) problem(origin_of(setting) + ": " + fits.error().message);
    }
  }

  std::string& origin_of(const Setting& setting) {
    return loaded_.origins[static_cast<std::size_t>(&setting - settings().data())];
  }
  void problem(std::string text) { problems_.push_back(std::move(text)); }

  Loaded loaded_;
  std::vector<std::string> problems_;
};

}  // namespace

std::span<const std::string_view> foreign_variables() { return foreign; }

Result<Loaded> load(const Sources& sources) {
  Loading loading;
  if (sources.file) loading.read_file(*sources.file);
  loading.read_environment(sources.environment);
  for (const auto& [setting, text] : sources.flags) loading.take(*setting, text, setting->flag());
  return std::move(loading).finish();
}

}  // namespace semel::config
