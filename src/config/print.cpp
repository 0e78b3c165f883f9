#include "config/print.hpp"

#include "base/json/writer.hpp"

namespace semel::config {
namespace {

/// A queue's name may have dots, so that it must stand in quotes: queues."a.b".paused.
std::string quoted_path(const std::string& path) {
  const std::size_t first = path.find('.') + 1;
  const std::size_t last = path.rfind('.');
  return path.substr(0, first) + '"' + path.substr(first, last - first) + '"' + path.substr(last);
}

}  // namespace

std::string to_toml(const Loaded& loaded) {
  std::string text;
  for (std::size_t at = 0; at < settings().size(); ++at) {
    const Setting& setting = settings()[at];
    const std::string line = fmt::format("{} = {}", setting.name, setting.toml_in(loaded.options));
    text += fmt::format("{:<44}  # {}\n", line, loaded.origins[at]);
  }
  for (const QueueValue& value : loaded.queues) {
    const std::string line = fmt::format("{} = {}", quoted_path(value.path), value.toml);
    text += fmt::format("{:<44}  # {}\n", line, value.origin);
  }
  return text;
}

std::string to_json(const Loaded& loaded) {
  json::Writer json;
  json.begin_object();
  for (std::size_t at = 0; at < settings().size(); ++at) {
    const Setting& setting = settings()[at];
    json.key(setting.name).begin_object();
    json.key("value").raw(setting.toml_in(loaded.options));
    json.key("from").string(loaded.origins[at]);
    json.end_object();
  }
  for (const QueueValue& value : loaded.queues) {
    json.key(value.path).begin_object().raw("value", value.toml).string("from", value.origin).end_object();
  }
  json.end_object();
  return json.take();
}

std::string to_markdown(const Setting& setting) {
  return fmt::format("| `{}` | `{}` | `{}` | {} | {} | {} |", setting.name, setting.environment(), setting.flag(),
                     setting.expected(), "`" + setting.toml_in({}) + "`", setting.description);
}

}  // namespace semel::config
