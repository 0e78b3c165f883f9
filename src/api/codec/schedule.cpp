#include "api/codec/schedule.hpp"

#include "api/codec/fields.hpp"
#include "api/codec/submission.hpp"

namespace semel::codec {
namespace {

using domain::ScheduleDefinition;
using json::Reader;
using json::Writer;

/// What the members say before they are looked at together.
struct ScheduleDraft {
  std::optional<domain::Cron> cron;
  std::optional<domain::TimeZone> zone;
  std::optional<Time> at;
  domain::Missed missed = domain::Missed::once;
  std::optional<int> catch_up_max;
  domain::Overlap overlap = domain::Overlap::skip;
  std::optional<Time> start;
  std::optional<Time> end;
  std::optional<bool> paused;
  std::optional<domain::Submission> task;
  std::string task_document;
};

Result<void> read_cron(Reader& reader, std::string_view field, ScheduleDraft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  Result<domain::Cron> cron = domain::Cron::parse(*text);
  if (!cron) return pass_on(cron.error());  // which names the field itself
  draft.cron = *std::move(cron);
  return {};
}

Result<void> read_zone(Reader& reader, std::string_view field, ScheduleDraft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  Result<domain::TimeZone> zone = domain::TimeZone::find(*text);
  if (!zone) return in_field(field, zone.error());
  draft.zone = *std::move(zone);
  return {};
}

template <auto Member>
Result<void> read_moment(Reader& reader, std::string_view field, ScheduleDraft& draft) {
  const Result<Time> time = read_time(reader, field);
  if (!time) return pass_on(time.error());
  draft.*Member = *time;
  return {};
}

Result<void> read_missed(Reader& reader, std::string_view field, ScheduleDraft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  const auto missed = domain::parse_missed(*text);
  if (!missed) return bad_request("missed must be skip, once or catch_up");
  draft.missed = *missed;
  return {};
}

Result<void> read_overlap(Reader& reader, std::string_view field, ScheduleDraft& draft) {
  const Result<std::string> text = read_text(reader, field);
  if (!text) return pass_on(text.error());
  const auto overlap = domain::parse_overlap(*text);
  if (!overlap) return bad_request("overlap must be skip, allow or cancel_previous");
  draft.overlap = *overlap;
  return {};
}

Result<void> read_catch_up_max(Reader& reader, std::string_view field, ScheduleDraft& draft) {
  const Result<std::int64_t> count = read_integer(reader, field, 1, domain::limits::catch_up_max);
  if (!count) return pass_on(count.error());
  draft.catch_up_max = static_cast<int>(*count);
  return {};
}

Result<void> read_paused(Reader& reader, std::string_view field, ScheduleDraft& draft) {
  const Result<bool> paused = read_boolean(reader, field);
  if (!paused) return pass_on(paused.error());
  draft.paused = *paused;
  return {};
}

Result<void> read_task(Reader& reader, std::string_view field, ScheduleDraft& draft) {
  const Result<std::string_view> text = reader.read_raw();
  if (!text) return in_field(field, text.error());
  Result<domain::Submission> task = decode_submission(*text, std::nullopt);
  if (!task) return in_field(field, task.error());
  if (Result<void> fits = domain::check_task(*task); !fits) return fits;
  draft.task = *std::move(task);
  draft.task_document = *text;
  return {};
}

constexpr FieldTable<ScheduleDraft, 10> schedule_fields{{{"cron", read_cron},
                                                         {"time_zone", read_zone},
                                                         {"at", read_moment<&ScheduleDraft::at>},
                                                         {"missed", read_missed},
                                                         {"catch_up_max", read_catch_up_max},
                                                         {"overlap", read_overlap},
                                                         {"start", read_moment<&ScheduleDraft::start>},
                                                         {"end", read_moment<&ScheduleDraft::end>},
                                                         {"paused", read_paused},
                                                         {"task", read_task}}};

using Timing = std::variant<domain::Recurring, domain::OneOff>;

Result<Timing> timing_of(const ScheduleDraft& draft) {
  if (draft.cron && draft.at) return bad_request("cron and at are both given; cron fires again and again, at once");
  if (!draft.cron && !draft.at) return bad_request("cron (again and again) or at (once) is required");
  if (draft.at && draft.zone) return bad_request("time_zone needs a cron; at says its own");
  if (draft.at) return domain::OneOff{*draft.at};
  return domain::Recurring{*draft.cron, draft.zone.value_or(domain::TimeZone::utc())};
}

Result<domain::Schedule> settle(const ScheduleDraft& draft, std::string_view name) {
  Result<Timing> timing = timing_of(draft);
  if (!timing) return pass_on(timing.error());
  if (draft.catch_up_max && draft.missed != domain::Missed::catch_up)
    return bad_request("catch_up_max needs missed: catch_up");
  domain::Schedule schedule{.name = std::string(name), .timing = *std::move(timing)};
  schedule.missed = draft.missed;
  schedule.catch_up_max = draft.catch_up_max.value_or(schedule.catch_up_max);
  schedule.overlap = draft.overlap;
  schedule.start = draft.start;
  schedule.end = draft.end;
  if (Result<void> fits = domain::check(schedule); !fits) return pass_on(fits.error());
  return schedule;
}

}  // namespace

void write_schedule(Writer& writer, const domain::Schedule& schedule) {
  if (const auto* recurring = std::get_if<domain::Recurring>(&schedule.timing))
    writer.string("cron", recurring->cron.text()).string("time_zone", recurring->zone.name());
  else writer.string("at", to_rfc3339(std::get<domain::OneOff>(schedule.timing).at));
  writer.string("missed", name_of(schedule.missed));
  if (schedule.missed == domain::Missed::catch_up) writer.integer("catch_up_max", schedule.catch_up_max);
  writer.string("overlap", name_of(schedule.overlap));
  if (schedule.start) writer.string("start", to_rfc3339(*schedule.start));
  if (schedule.end) writer.string("end", to_rfc3339(*schedule.end));
}

Result<ScheduleDefinition> decode_schedule(std::string_view name, std::string_view body) {
  if (body.size() > domain::limits::schedule_bytes_max) {
    return refuse(ErrorCode::payload_too_large, "the schedule is {} bytes long; at most {} are allowed", body.size(),
                  domain::limits::schedule_bytes_max);
  }
  ScheduleDraft draft;
  if (Result<void> read = read_body(body, schedule_fields, draft); !read) return pass_on(read.error());
  Result<domain::Schedule> schedule = settle(draft, name);
  if (!schedule) return pass_on(schedule.error());
  if (!draft.task) return bad_request("task is required: what is submitted, as in POST /v1/tasks");
  Writer document;
  document.begin_object();
  write_schedule(document, *schedule);
  document.raw("task", draft.task_document).end_object();
  return ScheduleDefinition{*std::move(schedule), *std::move(draft.task), std::move(draft.task_document),
                            document.take(), draft.paused};
}

Result<std::optional<Time>> decode_run(std::string_view body) {
  std::optional<Time> nominal;
  constexpr FieldTable<std::optional<Time>, 1> table{
      {{"nominal_time", [](Reader& reader, std::string_view field, std::optional<Time>& into) -> Result<void> {
          const Result<Time> time = read_time(reader, field);
          if (!time) return pass_on(time.error());
          into = *time;
          return {};
        }}}};
  if (Result<void> read = read_body(body, table, nominal); !read) return pass_on(read.error());
  return nominal;
}

}  // namespace semel::codec
