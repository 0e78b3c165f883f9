#include <CLI/CLI.hpp>

#include "base/json/writer.hpp"
#include "cli/client/show_time.hpp"
#include "cli/commands.hpp"
#include "cli/schedule.hpp"
#include "domain/schedule/schedule.hpp"

namespace semel::cli {
namespace {

/// Expressions have blanks or begin with @; names have neither.
bool is_cron(const std::string& text) { return text.find(' ') != std::string::npos || text.starts_with('@'); }

/// "Wed 2026-01-21 02:30", as the clocks of the zone show it.
std::string wall_clock(const domain::TimeZone& zone, Time time) {
  const domain::Wall wall = domain::to_wall(time, zone.period_at(time).offset);
  const auto day = std::chrono::floor<std::chrono::days>(wall);
  constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const std::string text = to_rfc3339(Time{wall.time_since_epoch()});
  return fmt::format("{} {} {}", days[std::chrono::weekday{day}.c_encoding()], text.substr(0, 10), text.substr(11, 5));
}

void show_next(const Client& client, const domain::TimeZone& zone, const std::vector<Time>& times) {
  Table table({"IN " + zone.name(), "UTC", ""});
  for (const Time time : times) {
    const std::string utc = to_rfc3339(time);
    table.add({wall_clock(zone, time), utc, show_age(utc, client.now())});
  }
  if (table.empty()) print("it has ended\n");
  else client.print_table(table);
}

/// Without a server.
int show_next_of_cron(const Client& client, const std::string& expression, const std::string& zone_name,
                      std::size_t count) {
  const Result<domain::Cron> cron = domain::Cron::parse(expression);
  if (!cron) return refuse_usage(cron.error().message);
  const Result<domain::TimeZone> zone = domain::TimeZone::find(zone_name);
  if (!zone) return refuse_usage(zone.error().message);
  const domain::Schedule schedule{.name = "next", .timing = domain::Recurring{*cron, *zone}};
  const std::vector<Time> times = domain::upcoming(schedule, client.now(), count);
  if (!client.json()) {
    show_next(client, *zone, times);
    return exit_code::ok;
  }
  json::Writer writer;
  writer.begin_object().key("upcoming").begin_array();
  for (const Time time : times) writer.string(to_rfc3339(time));
  print(writer.end_array().end_object().take() + "\n");
  return exit_code::ok;
}

int show_next_of_schedule(Client& client, const std::string& name) {
  const Result<HttpReply> reply = client.call({.target = schedule_path(name)});
  if (!reply || reply->status != 200) return client.fail(reply);
  const JsonView schedule = JsonView::parse(reply->body);
  if (client.json()) {
    print(fmt::format("{{\"upcoming\":{}}}\n", schedule["upcoming"].raw()));
    return exit_code::ok;
  }
  const Result<domain::TimeZone> zone = domain::TimeZone::find(schedule["time_zone"].text());
  std::vector<Time> times;
  for (const JsonView& each : schedule["upcoming"].elements()) {
    if (const auto time = parse_rfc3339(each.text())) times.push_back(*time);
  }
  show_next(client, zone ? *zone : domain::TimeZone::utc(), times);
  return exit_code::ok;
}

struct NextOptions {
  std::string what;
  std::string zone = "UTC";
  std::size_t count = 5;
};

}  // namespace

void add_schedule_next(CLI::App& group, int& exit_code) {
  CLI::App* command =
      group.add_subcommand("next", "Show when a schedule fires next, or, without a server, when an expression would.");
  const auto options = std::make_shared<NextOptions>();
  command->add_option("what", options->what, "A schedule's name, or a cron expression")->required();
  CLI::Option* zone = command->add_option("--zone", options->zone, "Of the expression; UTC if absent");
  CLI::Option* count = command->add_option("--count", options->count, "How many; 5 if absent");
  count->check(CLI::Range(1, 1000));
  const auto client_options = add_client_options(*command);
  command->footer("Examples:\n  semel schedule next nightly\n  semel schedule next '30 2 * * *' --zone Europe/Berlin");
  command->callback([options, zone, count, client_options, &exit_code] {
    const bool has_options = zone->count() > 0 || count->count() > 0;
    if (!is_cron(options->what) && has_options) {
      exit_code = refuse_usage("--zone and --count go with an expression such as '30 2 * * *' only");
      return;
    }
    exit_code = run_client(*client_options, [&](Client& client) {
      if (!is_cron(options->what)) return show_next_of_schedule(client, options->what);
      return show_next_of_cron(client, options->what, options->zone, options->count);
    });
  });
}

}  // namespace semel::cli
