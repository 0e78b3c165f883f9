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

bool is_done(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

[[noreturn]] void raise(const PGresult* result) {
  const char* const field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string_view code = field == nullptr ? "" : field;
  const std::string message = fmt::format("postgres: {} ({})", on_one_line(PQresultErrorMessage(result)), code);
  if (code == "40001" || code == "40P01") throw Contention(message);
  if (code.starts_with("22") || code.starts_with("23")) throw DataFault(message);
  throw StoreFault(message);
}

}  // namespace

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
  if (!is_done(result)) raise(result);
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
  return checked(send(literal, parameters));
}

Rows Connection::execute(const std::string& sql) { return checked(PQexec(connection_.get(), sql.c_str())); }

void Connection::begin() { execute("BEGIN"); }

Connection::Beginning Connection::begin_at(std::optional<Time> test, Size size) {
  std::string settings = test ? fmt::format("SET LOCAL semel.now_ms = '{}';", to_ms(*test)) : std::string();
  if (size == Size::small) settings += "SET LOCAL plan_cache_mode = force_generic_plan;";
  const Rows rows = execute("BEGIN;" + settings + "SELECT semel.now_ms(), EXISTS (SELECT FROM semel.queues)");
  return {from_ms(std::stoll(rows[0].text(0))), rows[0].view(1) == "t"};
}

void Connection::commit() {
  PGresult* const result = PQexec(connection_.get(), "COMMIT");
  const Rows rows(result);
  if (is_done(result)) {
    // A transaction that has failed answers a COMMIT with a ROLLBACK.
    if (std::strcmp(PQcmdStatus(result), "COMMIT") == 0) return;
    throw StoreFault("postgres: the transaction was rolled back");
  }
  const char* const code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const bool server_ends = code != nullptr && std::strncmp(code, "57P", 3) == 0;  // its session is being ended
  if (!is_broken() && !server_ends) raise(result);
  broken_ = true;
  throw OutcomeUnknown(
      fmt::format("postgres: the connection broke during a commit: {}", on_one_line(PQresultErrorMessage(result))));
}

void Connection::roll_back() noexcept {
  if (is_broken() || PQtransactionStatus(connection_.get()) == PQTRANS_IDLE) return;
  PGresult* const result = PQexec(connection_.get(), "ROLLBACK");
  if (!is_done(result)) broken_ = true;
  PQclear(result);
}

}  // namespace semel::store::postgres
