#include <algorithm>
#include <array>
#include <vector>

#include "domain/schedule/cron.hpp"
#include "domain/schedule/cron_field.hpp"

namespace semel::domain {
namespace {

struct Macro {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<Macro, 7> macros{{
    {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"},
    {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"},
    {"@daily", "0 0 * * *"},
    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
}};

constexpr std::string_view cron_blanks = " \t";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(cron_blanks), text.size());
  return text.substr(begin, text.find_last_not_of(cron_blanks) + 1 - begin);
}

struct CronWord {
  std::string_view text;
  std::size_t position;  // of its first character, from 1
};

std::vector<CronWord> words_of(std::string_view text) {
  std::vector<CronWord> words;
  std::size_t begin = text.find_first_not_of(cron_blanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(cron_blanks, begin), text.size());
    words.push_back({text.substr(begin, end - begin), begin + 1});
    begin = text.find_first_not_of(cron_blanks, end);
  }
  return words;
}

/// So that the rest can quote the text in a message.
Result<void> check_characters(std::string_view text) {
  if (text.size() > limits::cron_chars_max) {
    return bad_request("cron is {} characters long; at most {} are allowed", text.size(), limits::cron_chars_max);
  }
  const auto strange = [](char c) { return (c < ' ' || c > '~') && c != '\t'; };
  const auto found = std::find_if(text.begin(), text.end(), strange);
  if (found == text.end()) return {};
  return bad_request("cron has a character that is not plain ASCII at position {}; a copied dash or blank, perhaps",
                     found - text.begin() + 1);
}

Result<std::string_view> meaning_of(std::string_view word) {
  const std::string name = lower_case(word);
  for (const Macro& macro : macros) {
    if (macro.name == name) return macro.meaning;
  }
  if (name == "@reboot") {
    return bad_request("cron '@reboot' has no time: a schedule fires by the clock, and a restart fires nothing again");
  }
  return bad_request(
      "cron '{}' is not known; use @yearly, @monthly, @weekly, @daily or @hourly, or five fields such as '*/5 * * * *'",
      word);
}

tl::unexpected<Error> refuse_count(std::string_view text, const std::vector<CronWord>& words) {
  if (words.front().text.find('=') != std::string_view::npos) {
    return bad_request("cron '{}': the zone is not part of the expression; give it as the schedule's time zone", text);
  }
  if (words.size() > cron_field_count) {
    return bad_request(
        "cron '{}' has {} fields, '{}' at character {} is one too many: write minute, hour, day of month, month, day "
        "of "
        "week; there are no seconds and no year",
        text, words.size(), words[cron_field_count].text, words[cron_field_count].position);
  }
  return bad_request(
      "cron '{}' has {} of 5 fields: write minute, hour, day of month, month, day of week; '{}' is missing", text,
      words.size(), name_of(static_cast<CronField>(words.size())));
}

Result<CronSets> read_sets(const std::vector<CronWord>& words) {
  using Form = CronValues::Form;
  std::array<CronValues, cron_field_count> fields;
  for (std::size_t i = 0; i < cron_field_count; ++i) {
    const Result<CronValues> values = parse_cron_field(static_cast<CronField>(i), words[i].text, words[i].position);
    if (!values) return pass_on(values.error());
    fields[i] = *values;
  }
  const auto& [minute, hour, day, month, weekday] = fields;
  const bool both = day.form != Form::every && weekday.form != Form::every;
  if (both && (day.form == Form::stepped || weekday.form == Form::stepped)) {
    const bool by_day = day.form == Form::stepped;
    return bad_request(
        "{} (field {}, character {}): '{}' is ambiguous beside a restricted {}, as some programs then want "
        "both to fit, and some either; write a range, as {}, for either",
        name_of(by_day ? CronField::day_of_month : CronField::day_of_week), by_day ? 3 : 5,
        words[by_day ? 2 : 4].position, words[by_day ? 2 : 4].text,
        name_of(by_day ? CronField::day_of_week : CronField::day_of_month), by_day ? "1-31/2" : "0-6/2");
  }
  return CronSets{minute.bits, hour.bits, day.bits, month.bits, weekday.bits, both};
}

}  // namespace

Result<Cron> Cron::parse(std::string_view text) {
  const Result<void> plain = check_characters(text);
  if (!plain) return pass_on(plain.error());
  const std::string_view whole = trimmed(text);
  if (whole.empty()) return bad_request("cron must not be empty; '0 9 * * MON-FRI' is nine o'clock on working days");
  std::vector<CronWord> words = words_of(whole);
  if (whole.starts_with('@')) {
    const Result<std::string_view> meaning = meaning_of(whole);
    if (!meaning) return pass_on(meaning.error());
    words = words_of(*meaning);
  }
  if (words.size() != cron_field_count) return refuse_count(whole, words);
  const Result<CronSets> sets = read_sets(words);
  if (!sets) return bad_request("cron '{}': {}", whole, sets.error().message);
  if (!ever_matches(*sets)) {
    return bad_request("cron '{}' can never fire: no month of field 4 has a day of field 3", whole);
  }
  return Cron(std::string(whole), *sets);
}

}  // namespace semel::domain
