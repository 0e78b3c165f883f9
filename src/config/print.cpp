#include "config/print.hpp"

#include "base/json/writer.hpp"

namespace semel::config {

std::string to_toml(const Loaded& loaded) {
  std::string text;
  for (std::size_t at = 0; at < settings().size(); ++at) {
    const Setting& setting = settings()[at];
    const std::string line = fmt::format("{} = {}", setting.name, setting.toml_in(loaded.options));
    text += fmt::format("{:<44}  # {}\n", line, loaded.origins[at]);
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
  json.end_object();
  return json.take();
}

std::string to_markdown(const Setting& setting) {
  return fmt::format("| `{}` | `{}` | `{}` | {} | {} | {} |", setting.name, setting.environment(), setting.flag(),
                     setting.expected(), "`" + setting.toml_in({}) + "`", setting.description);
}

}  // namespace semel::config
