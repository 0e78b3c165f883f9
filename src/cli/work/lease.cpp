#include "cli/work/lease.hpp"

#include <array>

#include "base/json/writer.hpp"
#include "cli/client/json_view.hpp"

namespace semel::cli::work {
namespace {

/// How a member of a lease is taken: a string without its escapes, or JSON as it was written.
enum class Take : std::uint8_t { text, json };

struct Member {
  std::string_view name;
  std::string Lease::* field;
  Take take;
};

constexpr std::array<Member, 17> lease_members{{{"attempt_id", &Lease::attempt_id, Take::text},
                                                {"task_uuid", &Lease::task_uuid, Take::text},
                                                {"task_id", &Lease::task_id, Take::text},
                                                {"handler", &Lease::handler, Take::text},
                                                {"queue", &Lease::queue, Take::text},
                                                {"attempt", &Lease::attempt, Take::text},
                                                {"context", &Lease::context, Take::json},
                                                {"effect_key", &Lease::effect_key, Take::text},
                                                {"dispatch_id", &Lease::dispatch_id, Take::text},
                                                {"external_id", &Lease::external_id, Take::text},
                                                {"labels", &Lease::labels, Take::json},
                                                {"traceparent", &Lease::traceparent, Take::text},
                                                {"run_id", &Lease::run_id, Take::text},
                                                {"task_key", &Lease::task_key, Take::text},
                                                {"upstream", &Lease::upstream, Take::json},
                                                {"item", &Lease::item, Take::json},
                                                {"index", &Lease::index, Take::text}}};

Lease read_lease(const JsonView& view) {
  Lease lease;
  for (const auto& [name, value] : view.members()) {  // once through: a context may be long
    for (const Member& member : lease_members) {
      if (member.name == name)
        lease.*member.field = member.take == Take::text ? value.text() : std::string(value.raw());
    }
  }
  return lease;
}

}  // namespace

Result<std::vector<Lease>> read_leases(std::string_view answer) {
  const auto refused = [] { return bad_request("the answer has no leases; is this a Semel server? Check --url"); };
  const JsonView list = JsonView::parse(answer)["leases"];
  if (!list.raw().starts_with('[')) return refused();
  std::vector<Lease> leases;
  for (const JsonView& each : list.elements()) {
    leases.push_back(read_lease(each));
    if (leases.back().attempt_id.empty() || leases.back().context.empty()) return refused();
  }
  return leases;
}

std::string envelope_of(const Lease& lease) {
  json::Writer writer;
  writer.begin_object().raw("context", lease.context);
  if (!lease.upstream.empty()) writer.raw("upstream", lease.upstream);
  if (!lease.item.empty()) writer.raw("item", lease.item);
  if (!lease.index.empty()) writer.raw("index", lease.index);
  return writer.end_object().take();
}

}  // namespace semel::cli::work
