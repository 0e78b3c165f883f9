#include "store/postgres/connection.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <array>
#include <cstring>
#include <string>

#include "base/log.hpp"

namespace semel::store::postgres {
namespace {

constexpr int binary = 1;

/// The time-outs turn a hang into a 503; commits wait for the disk (and for synchronous standbys, if there are any).
constexpr const char* session_settings =
    "SET search_path = semel; SET synchronous_commit = on; SET jit = off;"
    "SET default_transaction_isolation = 'read committed'; SET client_min_messages = warning;"
    "SET statement_timeout = '60s'; SET lock_timeout = '20s'; SET idle_in_transaction_session_timeout = '60s'";

/// All of their statements have an index for every table, also for one that looks small as yet.
constexpr const char* settings_for_batches = "; SET plan_cache_mode = force_custom_plan; SET enable_seqscan = off";

/// libpq's messages have several lines; ours have one.
std::string on_one_line(const char* message) {
  std::string text;
  for (const char letter : std::string_view(message == nullptr ? "" : message)) {
    const bool is_space = letter == '\n' || letter == '\t' || letter == ' ';
    if (!is_space) text += letter;
    else if (!text.empty() && text.back() != ' ') text += ' ';
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

/// What the server says beside its answers ("terminating connection …"). libpq would write it to standard error as it
/// is, among the lines of the log.
void log_notice(void*, const char* message) { log::warn("PostgreSQL says: {}", on_one_line(message)); }

std::string_view code_of(const PGresult* result) {
  const char* const field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return field == nullptr ? "" : field;
}

}  // namespace

void Connection::raise(const pg_result* result) {
  const std::string_view code = code_of(result);
  const std::string message = fmt::format("postgres: {} ({})", on_one_line(PQresultErrorMessage(result)), code);
  if (code == "40001" || code == "40P01") throw Contention(message);
  if (code == "55P03") throw LockTimeout(message);
  if (code.starts_with("22") || code.starts_with("23")) throw DataFault(message);
  throw StoreFault(message);
}

void Connection::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

Connection::Connection(const std::string& target, Plans plans) {
  // Whatever stands after `dbname` would count more than the target, and before it less.
  constexpr std::array<const char*, 9> names{
      "application_name", "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
      "tcp_user_timeout", "dbname",          nullptr};
  const std::array<const char*, 9> values{"semel", "10", "1", "15", "5", "3", "30000", target.c_str(), nullptr};
  connection_.reset(PQconnectdbParams(names.data(), values.data(), 1));
  if (PQstatus(connection_.get()) != CONNECTION_OK)
    throw StoreFault(fmt::format("cannot connect to PostgreSQL: {}", what_is_wrong()));
  PQsetNoticeProcessor(connection_.get(), log_notice, nullptr);
  const bool is_for_batches = plans == Plans::for_batches;
  execute(std::string(session_settings) + (is_for_batches ? settings_for_batches : ""));
}

Connection::~Connection() = default;

bool Connection::is_broken() const { return broken_ || PQstatus(connection_.get()) != CONNECTION_OK; }

std::string Connection::what_is_wrong() const { return on_one_line(PQerrorMessage(connection_.get())); }

int Connection::server_version() const { return PQserverVersion(connection_.get()); }

Rows Connection::checked(pg_result* result) const {
  Rows rows(result);
  if (!rows.is_good()) raise(result);
  return rows;
}

/// Many statements are used once in the life of a connection, and would only wait twice if they were prepared.
pg_result* Connection::send(std::string_view literal, const Parameters& parameters) {
  const auto [known, is_new] = statements_.try_emplace(literal.data());
  if (is_new) {
    return PQexecParams(connection_.get(), std::string(literal).c_str(), parameters.count(), parameters.types(),
                        parameters.values(), parameters.lengths(), parameters.formats(), binary);
  }
  std::string& name = known->second;
  if (name.empty()) {
    const std::string fresh = fmt::format("s{}", ++prepared_);
    checked(PQprepare(connection_.get(), fresh.c_str(), std::string(literal).c_str(), parameters.count(),
                      parameters.types()));
    name = fresh;
  }
  return PQexecPrepared(connection_.get(), name.c_str(), parameters.count(), parameters.values(), parameters.lengths(),
                        parameters.formats(), binary);
}

Rows Connection::run(std::string_view literal, const Parameters& parameters) {
  if (sent_.empty()) return checked(send(literal, parameters));
  std::optional<Rows> rows;
  run_later(literal, parameters, [&rows](Rows told) { rows = std::move(told); });
  flush();
  return *std::move(rows);
}

Rows Connection::execute(const std::string& sql) {
  flush();
  return checked(PQexec(connection_.get(), sql.c_str()));
}

void Connection::begin() { execute("BEGIN"); }

Connection::Beginning Connection::begin_at(std::optional<Time> test, const Manner& manner) {
  std::optional<Beginning> beginning;
  run_later("BEGIN", Parameters());
  if (test) run_later("SELECT set_config('semel.now_ms', $1, true)", Parameters(std::to_string(to_ms(*test))));
  size_ = manner.size;
  if (size_ != planned_for_) {
    if (size_ == Size::small) run_later("SET plan_cache_mode = force_generic_plan", Parameters());
    else run_later("SET plan_cache_mode = force_custom_plan", Parameters());
  }
  run_later("SELECT semel.now_ms(), EXISTS (SELECT FROM semel.queues)", Parameters(),
            [&](Rows rows) { beginning = Beginning{rows[0].time(0), rows[0].boolean(1)}; });
  if (manner.ahead) manner.ahead(*this);
  flush();
  return *beginning;
}

/// A transaction that has failed answers a COMMIT with a ROLLBACK.
void Connection::end_of_commit(const Rows& answer) {
  if (answer.is_good()) {
    if (std::strcmp(PQcmdStatus(answer.result()), "COMMIT") != 0)
      throw StoreFault("postgres: the transaction was rolled back");
    planned_for_ = size_;
    return;
  }
  const bool server_ends = code_of(answer.result()).starts_with("57P");  // its session is being ended
  if (!is_broken() && !server_ends) raise(answer.result());
  broken_ = true;
  throw OutcomeUnknown(fmt::format("postgres: the connection broke during a commit: {}",
                                   on_one_line(PQresultErrorMessage(answer.result()))));
}

void Connection::commit() {
  if (any_is_checked()) flush();
  if (sent_.empty()) return end_of_commit(Rows(PQexec(connection_.get(), "COMMIT")));
  try {
    run_later("COMMIT", Parameters());
  } catch (const StoreFault& fault) {  // it may have gone out before the connection broke
    throw OutcomeUnknown(fault.what());
  }
  std::vector<Answered> answers = receive();
  const Rows last = std::move(answers.back().rows);
  answers.pop_back();
  // Where the server says what failed before, it has not come to the commit.
  for (const Answered& each : answers) {
    if (!each.rows.is_good() && !code_of(each.rows.result()).empty()) raise(each.rows.result());
  }
  end_of_commit(last);
}

void Connection::roll_back() noexcept {
  if (!sent_.empty()) receive();
  if (is_broken() || PQtransactionStatus(connection_.get()) == PQTRANS_IDLE) return;
  const Rows answer(PQexec(connection_.get(), "ROLLBACK"));
  if (!answer.is_good()) broken_ = true;
}

}  // namespace semel::store::postgres
