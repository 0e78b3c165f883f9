#include "base/log.hpp"

#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "base/json/text.hpp"

namespace semel::log {
namespace {

struct Setup {
  Format format = Format::text;
  std::shared_ptr<spdlog::logger> logger =
      std::make_shared<spdlog::logger>("semel", std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>());
};

// The one thing of the process that is not passed in: a log line must be possible anywhere.
Setup& setup() {
  static Setup instance;
  return instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warn: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
    case Level::off: break;
  }
  return spdlog::level::off;
}

}  // namespace

void configure(Level level, Format format) {
  Setup& current = setup();
  current.format = format;
  current.logger->set_level(to_spdlog(level));
  current.logger->flush_on(spdlog::level::info);
  if (format == Format::json) {
    current.logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%v})",
                                spdlog::pattern_time_type::utc);
  } else {
    current.logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%-5l%$ %v", spdlog::pattern_time_type::utc);
  }
}

bool enabled(Level level) { return setup().logger->should_log(to_spdlog(level)); }

void write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  Setup& current = setup();
  const bool as_json = current.format == Format::json;
  std::string line = as_json ? json::quote(message) : std::string(message);
  for (const Field& field : fields) {
    if (as_json) line.append(",").append(json::quote(field.name)).append(":").append(json::quote(field.value));
    else line.append(" ").append(field.name).append("=").append(field.value);
  }
  current.logger->log(to_spdlog(level), line);
}

void flush() { setup().logger->flush(); }

}  // namespace semel::log
