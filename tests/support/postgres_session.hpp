#pragma once
#include <libpq-fe.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace semel::test {

/// A statement's error with its SQLSTATE, e.g. "40P01" for a deadlock.
class SqlError : public std::runtime_error {
 public:
  SqlError(const std::string& message, std::string code) : std::runtime_error(message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

/// Rows as text; NULL is nothing.
class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result, &PQclear) {}

  int count() const { return PQntuples(result_.get()); }
  std::optional<std::string> get(int row, const char* column) const {
    const int number = PQfnumber(result_.get(), column);
    if (number < 0) throw std::runtime_error(std::string("no column ") + column);
    if (PQgetisnull(result_.get(), row, number) != 0) return std::nullopt;
    return PQgetvalue(result_.get(), row, number);
  }
  std::string text(int row, const char* column) const { return get(row, column).value(); }
  bool is_true(int row, const char* column) const { return text(row, column) == "t"; }

 private:
  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

/// One connection. For one thread at a time.
class Session {
 public:
  explicit Session(const std::string& target) : connection_(PQconnectdb(target.c_str()), &PQfinish) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
    execute("SET client_min_messages = warning; SET statement_timeout = '20s'");  // fail, never hang
  }

  /// One or more statements without parameters.
  Rows execute(const std::string& sql) { return checked(PQexec(connection_.get(), sql.c_str())); }

  /// A prepared statement, with parameters as text.
  Rows run(const char* statement, const std::vector<std::string>& parameters) {
    send(statement, parameters);
    return receive();
  }

  /// The two halves of run(), so that a statement can be left waiting for a lock.
  void send(const char* statement, const std::vector<std::string>& parameters) {
    std::vector<const char*> values;
    for (const std::string& one : parameters) values.push_back(one.c_str());
    if (PQsendQueryPrepared(connection_.get(), statement, static_cast<int>(values.size()), values.data(), nullptr,
                            nullptr, 0) != 1) {
      throw std::runtime_error(PQerrorMessage(connection_.get()));
    }
  }
  Rows receive() {
    PGresult* const result = PQgetResult(connection_.get());
    while (PGresult* const end = PQgetResult(connection_.get())) PQclear(end);
    return checked(result);
  }

  int process_id() const { return PQbackendPID(connection_.get()); }

 private:
  static Rows checked(PGresult* result) {
    Rows rows(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return rows;
    const char* const code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    throw SqlError(PQresultErrorMessage(result), code == nullptr ? "" : code);
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

/// Array literals for parameters. Every element is quoted; nothing is NULL.
inline std::string array_of(const std::vector<std::string>& values) {
  std::string text = "{";
  for (const std::string& value : values) {
    if (text.size() > 1) text += ',';
    text += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += '"';
  }
  return text + "}";
}

inline std::string bytea(const Hash32& hash) { return "\\x" + to_hex(hash); }

}  // namespace semel::test
