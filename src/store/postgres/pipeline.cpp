#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <utility>

#include "store/postgres/connection.hpp"

/// Several statements in one round trip, by libpq's pipeline mode: they are written one after the other, and their
/// answers are read one after the other. After one that fails, the server skips all that was sent with it.
namespace semel::store::postgres {
namespace {

constexpr int in_binary_form = 1;

/// The next answer, and the end of it. None when the connection has broken.
Rows next_answer(pg_conn* connection) {
  Rows rows(PQgetResult(connection));
  while (PGresult* const rest = PQgetResult(connection)) PQclear(rest);
  return rows;
}

}  // namespace

void Connection::run_later(std::string_view literal, const Parameters& parameters, Check check) {
  pg_conn* const connection = connection_.get();
  bool is_sent = !sent_.empty() || PQenterPipelineMode(connection) == 1;
  const auto [known, is_new] = statements_.try_emplace(literal.data());
  std::string& name = known->second;
  if (is_new) {
    is_sent = is_sent &&
              PQsendQueryParams(connection, std::string(literal).c_str(), parameters.count(), parameters.types(),
                                parameters.values(), parameters.lengths(), parameters.formats(), in_binary_form) == 1;
  } else if (is_sent && name.empty()) {
    name = fmt::format("s{}", ++prepared_);
    sent_.push_back({&name, nullptr});
    is_sent = PQsendPrepare(connection, name.c_str(), std::string(literal).c_str(), parameters.count(),
                            parameters.types()) == 1;
  }
  if (!is_new) {
    is_sent = is_sent && PQsendQueryPrepared(connection, name.c_str(), parameters.count(), parameters.values(),
                                             parameters.lengths(), parameters.formats(), in_binary_form) == 1;
  }
  if (!is_sent) {
    broken_ = true;
    throw StoreFault(fmt::format("postgres: {}", what_is_wrong()));
  }
  sent_.push_back({nullptr, std::move(check)});
}

void Connection::flush() {
  if (!sent_.empty()) settle(receive());
}

bool Connection::any_is_checked() const {
  return std::any_of(sent_.begin(), sent_.end(), [](const Sent& each) { return each.check != nullptr; });
}

std::vector<Connection::Answered> Connection::receive() {
  pg_conn* const connection = connection_.get();
  std::vector<Sent> sent = std::exchange(sent_, {});
  std::vector<Answered> answers;
  if (PQpipelineSync(connection) != 1) broken_ = true;
  for (Sent& each : sent) {
    Rows rows = next_answer(connection);
    if (each.name != nullptr && !rows.is_good()) each.name->clear();  // it was not prepared
    answers.push_back({std::move(each.check), std::move(rows)});
  }
  PQclear(PQgetResult(connection));  // where the pipeline ends
  if (PQexitPipelineMode(connection) != 1) broken_ = true;
  return answers;
}

/// The first that failed is the one that says why.
void Connection::settle(std::vector<Answered> answers) const {
  for (const Answered& each : answers) {
    if (each.rows.is_good()) continue;
    if (each.rows.result() == nullptr) throw StoreFault(fmt::format("postgres: {}", what_is_wrong()));
    raise(each.rows.result());
  }
  for (Answered& each : answers) {
    if (each.check) each.check(std::move(each.rows));
  }
}

}  // namespace semel::store::postgres
