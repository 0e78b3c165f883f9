#include "api/codec/lease_field.hpp"
#include "api/codec/work_values.hpp"
#include "api/codec/worker_request.hpp"

namespace semel::codec {
namespace {

using json::Reader;
using PollRequest = engine::Engine::PollRequest;

/// A poll while its members are read.
struct PollMembers {
  PollDraft draft;
  std::size_t max = 1;
  Duration wait{0};
  OutcomeRequests outcomes;
};

Result<std::vector<std::string>> read_names(Reader& reader, std::string_view field) {
  std::vector<std::string> names;
  const Result<void> read = read_elements(reader, field, [&](Reader& element) -> Result<void> {
    Result<std::string> name = read_text(element, field);
    if (!name) return pass_on(name.error());
    names.push_back(*std::move(name));
    return {};
  });
  if (!read) return pass_on(read.error());
  return names;
}

Result<void> read_worker(Reader& reader, std::string_view field, PollMembers& members) {
  Result<std::string> worker = read_text(reader, field);
  if (!worker) return pass_on(worker.error());
  members.draft.worker = *std::move(worker);
  return {};
}

Result<void> read_queues(Reader& reader, std::string_view field, PollMembers& members) {
  Result<std::vector<std::string>> names = read_names(reader, field);
  if (!names) return pass_on(names.error());
  members.draft.queues = *std::move(names);
  return {};
}

Result<void> read_weights(Reader& reader, std::string_view field, PollMembers& members) {
  if (Result<void> begun = reader.begin_object(); !begun) return in_field(field, begun.error());
  while (true) {
    Result<std::optional<std::string>> member = reader.next_member();
    if (!member) return in_field(field, member.error());
    if (!*member) return {};
    const Result<std::int64_t> weight = reader.read_integer();
    if (!weight) return in_field(field, weight.error());
    if (Result<void> fits = check_weight(*weight); !fits) return fits;
    members.draft.weights[**member] = static_cast<int>(*weight);
  }
}

Result<void> read_handlers(Reader& reader, std::string_view field, PollMembers& members) {
  Result<std::vector<std::string>> names = read_names(reader, field);
  if (!names) return pass_on(names.error());
  members.draft.handlers = *std::move(names);
  return {};
}

Result<void> read_max(Reader& reader, std::string_view field, PollMembers& members) {
  const Result<std::int64_t> max =
      read_integer(reader, field, 1, static_cast<std::int64_t>(engine::limits::leases_max));
  if (!max) return pass_on(max.error());
  members.max = static_cast<std::size_t>(*max);
  return {};
}

Result<void> read_wait(Reader& reader, std::string_view field, PollMembers& members) {
  const Result<std::int64_t> wait = read_integer(reader, field, 0, engine::limits::wait_max.count());
  if (!wait) return pass_on(wait.error());
  members.wait = Duration{*wait};
  return {};
}

Result<void> read_poll_lease(Reader& reader, std::string_view field, PollMembers& members) {
  return read_lease(reader, field, members.draft);
}

Result<void> read_poll_outcomes(Reader& reader, std::string_view field, PollMembers& members) {
  return read_outcomes(reader, field, members.outcomes);
}

constexpr FieldTable<PollMembers, 8> poll_fields{{{"worker_id", read_worker},
                                                  {"queues", read_queues},
                                                  {"weights", read_weights},
                                                  {"handlers", read_handlers},
                                                  {"max", read_max},
                                                  {"wait_ms", read_wait},
                                                  {"lease_ms", read_poll_lease},
                                                  {"outcomes", read_poll_outcomes}}};

}  // namespace

Result<PollBody> decode_poll(std::string_view body) {
  if (Result<void> grammar = json::check_grammar(body.empty() ? "{}" : body); !grammar) return pass_on(grammar.error());
  PollMembers members;
  if (Result<void> read = read_body(body, poll_fields, members); !read) return pass_on(read.error());
  Result<PollRequest> poll = finish_poll(std::move(members.draft));
  if (!poll) return pass_on(poll.error());
  poll->max = members.max;
  poll->wait = members.wait;
  return PollBody{*std::move(poll), std::move(members.outcomes)};
}

}  // namespace semel::codec
