#include <algorithm>
#include <map>

#include "api/codec/lease_field.hpp"
#include "api/codec/worker_request.hpp"
#include "base/utf8.hpp"
#include "domain/names.hpp"

namespace semel::codec {
namespace {

using json::Reader;
using PollRequest = engine::Engine::PollRequest;

constexpr std::size_t names_max = 100;

/// A poll while its members are read.
struct PollDraft {
  PollRequest poll;
  OutcomeRequests outcomes;
  std::map<std::string, int> weights;
};

Result<std::vector<std::string>> read_names(Reader& reader, std::string_view field) {
  std::vector<std::string> names;
  const Result<void> read = read_elements(reader, field, [&](Reader& element) -> Result<void> {
    if (names.size() == names_max) return bad_request("{}: at most {} are allowed", field, names_max);
    Result<std::string> name = read_name(element, field);
    if (!name) return pass_on(name.error());
    names.push_back(*std::move(name));
    return {};
  });
  if (!read) return pass_on(read.error());
  if (names.empty()) return bad_request("{} must not be empty", field);
  return names;
}

Result<void> read_worker(Reader& reader, std::string_view field, PollDraft& draft) {
  Result<std::string> worker = read_text(reader, field);
  if (!worker) return pass_on(worker.error());
  if (Result<void> fits = domain::check_key(field, *worker); !fits) return fits;
  draft.poll.worker = *std::move(worker);
  return {};
}

Result<void> read_queues(Reader& reader, std::string_view field, PollDraft& draft) {
  Result<std::vector<std::string>> names = read_names(reader, field);
  if (!names) return pass_on(names.error());
  draft.poll.queues = *std::move(names);
  return {};
}

Result<void> read_weights(Reader& reader, std::string_view field, PollDraft& draft) {
  if (Result<void> begun = reader.begin_object(); !begun) return in_field(field, begun.error());
  while (true) {
    Result<std::optional<std::string>> member = reader.next_member();
    if (!member) return in_field(field, member.error());
    if (!*member) return {};
    const Result<std::int64_t> weight = read_integer(reader, field, 1, domain::limits::weight_max);
    if (!weight) return pass_on(weight.error());
    draft.weights[**member] = static_cast<int>(*weight);
  }
}

/// A queue that is not named weighs 1.
Result<void> merge_weights(PollDraft& draft) {
  for (const auto& [queue, weight] : draft.weights) {
    if (std::find(draft.poll.queues.begin(), draft.poll.queues.end(), queue) == draft.poll.queues.end())
      return bad_request("weights names '{}', which is none of the queues", utf8_prefix(queue, 100));
  }
  if (draft.weights.empty()) return {};
  for (const std::string& queue : draft.poll.queues) {
    const auto given = draft.weights.find(queue);
    draft.poll.weights.push_back(given == draft.weights.end() ? 1 : given->second);
  }
  return {};
}

Result<void> read_handlers(Reader& reader, std::string_view field, PollDraft& draft) {
  Result<std::vector<std::string>> names = read_names(reader, field);
  if (!names) return pass_on(names.error());
  draft.poll.handlers = *std::move(names);
  return {};
}

Result<void> read_max(Reader& reader, std::string_view field, PollDraft& draft) {
  const Result<std::int64_t> max =
      read_integer(reader, field, 1, static_cast<std::int64_t>(engine::limits::leases_max));
  if (!max) return pass_on(max.error());
  draft.poll.max = static_cast<std::size_t>(*max);
  return {};
}

Result<void> read_wait(Reader& reader, std::string_view field, PollDraft& draft) {
  const Result<std::int64_t> wait = read_integer(reader, field, 0, engine::limits::wait_max.count());
  if (!wait) return pass_on(wait.error());
  draft.poll.wait = Duration{*wait};
  return {};
}

Result<void> read_poll_lease(Reader& reader, std::string_view field, PollDraft& draft) {
  return read_lease(reader, field, draft.poll);
}

Result<void> read_poll_outcomes(Reader& reader, std::string_view field, PollDraft& draft) {
  return read_outcomes(reader, field, draft.outcomes);
}

constexpr FieldTable<PollDraft, 8> poll_fields{{{"worker_id", read_worker},
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
  PollDraft draft;
  if (Result<void> read = read_body(body, poll_fields, draft); !read) return pass_on(read.error());
  if (draft.poll.worker.empty()) return bad_request("worker_id is required");
  if (draft.poll.queues.empty()) return bad_request("queues is required");
  if (Result<void> merged = merge_weights(draft); !merged) return pass_on(merged.error());
  return PollBody{std::move(draft.poll), std::move(draft.outcomes)};
}

}  // namespace semel::codec
