#include "bench/texts.hpp"

#include <fmt/format.h>

#include <charconv>

namespace semel::bench {
namespace {

constexpr std::string_view key_prefix = "bench-";
constexpr std::string_view attempt_member = R"("attempt_id":")";
constexpr std::size_t uuid_size = 36;

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace

std::string key_of(std::uint64_t number) { return fmt::format("{}{}", key_prefix, number); }

std::string context_of(std::uint64_t number) {
  return fmt::format(
      R"({{"order_id":"ORD-{}","amount":{}.50,"currency":"EUR","customer":{{"id":{},"name":"Ada Lovelace"}},)"
      R"("items":[{{"sku":"A-1","qty":2}},{{"sku":"B-7","qty":1}}]}})",
      number, number % 1000, number % 5000);
}

std::string task_body(std::uint64_t number) {
  return fmt::format(R"({{"handler":"{}","queue":"{}","idempotency_key":"{}","context":{}}})", handler_name, queue_name,
                     key_of(number), context_of(number));
}

std::string run_body(std::string_view template_, std::uint64_t number) {
  return fmt::format(R"({{"namespace":"bench","name":"{}","idempotency_key":"{}","context":{}}})", template_,
                     key_of(number), context_of(number));
}

std::string batch_body(std::uint64_t first, std::size_t count) {
  std::string body = R"({"tasks":[)";
  for (std::size_t i = 0; i < count; ++i) body += (i == 0 ? "" : ",") + task_body(first + i);
  return body + "]}";
}

std::size_t created_in(const std::string& answer) { return occurrences(answer, R"("status":201)"); }

std::string poll_body(std::size_t worker, std::size_t max, Duration wait) {
  return fmt::format(R"({{"worker_id":"bench-{}","queues":["{}"],"handlers":["{}"],"max":{},"wait_ms":{}}})", worker,
                     queue_name, handler_name, max, wait.count());
}

/// Looks for the two members, in the order in which the server writes them: reading all of the JSON would take the
/// processor's time from the server that is measured.
std::vector<Leased> leases_in(const std::string& answer, std::string_view mark) {
  std::vector<Leased> leases;
  std::size_t at = 0;
  while ((at = answer.find(attempt_member, at)) != std::string::npos) {
    Leased& leased = leases.emplace_back();
    leased.attempt_id = answer.substr(at + attempt_member.size(), uuid_size);
    at = answer.find(mark, at);
    if (at == std::string::npos) break;
    at += mark.size();
    std::from_chars(answer.data() + at, answer.data() + answer.size(), leased.number);
  }
  return leases;
}

std::string completions_body(const std::vector<Leased>& leases) {
  std::string body = R"({"outcomes":[)";
  for (const Leased& leased : leases) {
    if (&leased != &leases.front()) body += ',';
    body.append(R"({"attempt_id":")").append(leased.attempt_id).append(R"(","complete":{"result":)");
    body.append(result_text).append("}}");
  }
  return body + "]}";
}

std::string poll_body_with(std::string_view poll, const std::vector<Leased>& leases) {
  std::string body(poll.substr(0, poll.size() - 1));
  return body.append(",").append(completions_body(leases), 1);
}

std::size_t completed_in(const std::string& answer) { return occurrences(answer, R"("status":"completed")"); }

}  // namespace semel::bench
