#include "domain/schedule/zone_database.hpp"

#include <date/tz.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "domain/schedule/nearest_name.hpp"

namespace semel::domain {
namespace {

using std::chrono::sys_seconds;

/// Where the date library reads the zones, too; it does not tell.
constexpr std::string_view zone_folder = "/usr/share/zoneinfo/";

/// The rule of a zone is written out as shifts up to here.
constexpr std::chrono::year last_ruled_year{2500};

constexpr std::size_t zone_name_chars_max = 100;

/// Not zones of their own: what the machine is set to, the default for POSIX rules, and "nobody has set a zone".
bool is_zone_name(const std::string& name) {
  return name != "localtime" && name != "posixrules" && name != "Factory" && !name.starts_with("posix/") &&
         !name.starts_with("right/");
}

/// The table of a zone's file, from 1970 on.
struct ZoneTable {
  std::vector<ZoneShift> shifts;
  Time last_entry;  // which may shift nothing: a zone can go from summer time to a standard time of the same offset
};

ZoneTable read_table(const date::time_zone& zone) {
  date::sys_info info = zone.get_info(sys_seconds{});
  ZoneTable table{{{zone_begin, info.offset}}, Time{}};
  while (info.end < std::chrono::floor<std::chrono::seconds>(zone_end)) {
    info = zone.get_info(info.end);
    append_shift(table.shifts, {info.begin, info.offset});
    table.last_entry = info.begin;
  }
  return table;
}

/// What stands between the last two line ends of the zone's file; nothing in files of the first version.
std::string read_rule_text(const std::string& name) {
  std::ifstream file(std::string(zone_folder) + name, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!bytes.ends_with('\n')) return "";
  const std::size_t begin = bytes.rfind('\n', bytes.size() - 2);
  if (begin == std::string::npos) return "";
  return bytes.substr(begin + 1, bytes.size() - begin - 2);
}

/// The date library ends with the table: in 2037 where the package builds "fat" files, and with the last change of the
/// law where it builds "slim" ones. From there on the rule holds.
void extend_by_rule(ZoneTable& table, const std::string& name) {
  const std::optional<ZoneRule> rule = parse_zone_rule(read_rule_text(name));
  if (rule) append_by_rule(table.shifts, *rule, table.last_entry, last_ruled_year);
}

std::vector<std::string> names_in(const date::tzdb& database) {
  std::vector<std::string> names;
  for (const date::time_zone& zone : database.zones) {
    if (is_zone_name(zone.name())) names.push_back(zone.name());
  }
  return names;
}

Result<TimeZone> refuse_zone(std::string_view name, const date::tzdb& database) {
  if (const auto nearest = nearest_name(name, names_in(database))) {
    return bad_request("time zone '{}' is not known; did you mean '{}'?", name, *nearest);
  }
  return bad_request("time zone '{}' is not known; use a name of the IANA database, such as 'Europe/Berlin'", name);
}

/// Throws when there is no database; the zones throw by themselves when their files cannot be read.
const date::tzdb& open_database() {
  const date::tzdb& database = date::get_tzdb();
  if (database.zones.empty()) throw std::runtime_error("the folder is empty");
  return database;
}

Result<TimeZone> read_zone(std::string_view name) {
  const date::tzdb& database = open_database();
  const auto named = [&](const date::time_zone& zone) { return zone.name() == name; };
  const auto zone = std::find_if(database.zones.begin(), database.zones.end(), named);
  if (zone == database.zones.end() || !is_zone_name(zone->name())) return refuse_zone(name, database);
  ZoneTable table = read_table(*zone);
  extend_by_rule(table, zone->name());
  return TimeZone(zone->name(), std::move(table.shifts));
}

tl::unexpected<Error> refuse_without_database() {
  return refuse(ErrorCode::unavailable,
                "the server cannot read its time zone database in {}; install the package tzdata, or use UTC",
                zone_folder);
}

bool is_printable_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// The zones that were asked for so far.
struct ZoneCache {
  std::mutex mutex;  // guards the map, and lets one thread at a time into the date library
  std::map<std::string, TimeZone, std::less<>> zones;
};

ZoneCache& zone_cache() {
  static ZoneCache cache;
  return cache;
}

}  // namespace

Result<TimeZone> find_in_database(std::string_view name) {
  if (name.empty()) return bad_request("the time zone must not be empty; leave it out for UTC");
  if (name.size() > zone_name_chars_max || !is_printable_name(name)) {
    return bad_request("the time zone must be a name of the IANA database, such as 'Europe/Berlin'");
  }
  ZoneCache& cache = zone_cache();
  const std::lock_guard lock(cache.mutex);
  if (const auto found = cache.zones.find(name); found != cache.zones.end()) return found->second;
  try {
    Result<TimeZone> zone = read_zone(name);
    if (zone) cache.zones.emplace(name, *zone);
    return zone;
  } catch (const std::exception&) {
    return refuse_without_database();
  }
}

Result<std::vector<std::string>> time_zone_names() {
  const std::lock_guard lock(zone_cache().mutex);
  try {
    return names_in(open_database());
  } catch (const std::exception&) {
    return refuse_without_database();
  }
}

}  // namespace semel::domain
