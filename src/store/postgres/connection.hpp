#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "store/postgres/values.hpp"

struct pg_conn;

namespace semel::store::postgres {

/// A statement could not be applied because of the data bound to it; the database itself is well.
class DataFault : public StoreFault {
 public:
  using StoreFault::StoreFault;
};

/// Somebody else was in the way (a deadlock, or what was read has changed since): nothing was changed, and the same
/// transaction may be tried again at once.
class Contention : public StoreFault {
 public:
  using StoreFault::StoreFault;
};

/// Somebody held a lock for longer than this was to wait.
class LockTimeout : public StoreFault {
 public:
  using StoreFault::StoreFault;
};

/// One session with its prepared statements. For one thread at a time. All failures are StoreFaults.
class Connection {
 public:
  /// When the server plans a statement: for batches again for each run, since a plan that fits all does not know how
  /// long the arrays are; or as seldom as it likes, which spares point reads half of their time.
  enum class Plans : std::uint8_t { for_batches, as_it_likes };
  /// Of a transaction: for a few rows one plan is as good as another, and to make it takes longer than to run it.
  enum class Size : std::uint8_t { small, any };

  /// Connects. `target` is a URL or a connection string of libpq; what it says counts more than our own settings of
  /// keepalives and time-outs.
  explicit Connection(const std::string& target, Plans plans = Plans::for_batches);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs a string literal with parameters $1, $2 … The statement is prepared when it is used again, and found by the
  /// literal's address.
  template <typename... T>
  Rows run(std::string_view literal, const T&... values) {
    return run(literal, Parameters(values...));
  }
  Rows run(std::string_view literal, const Parameters& parameters);

  /// The same, of a statement whose rows are not needed at once: it goes with the next one, or with the commit, and so
  /// waits for no answer of its own. `check` is given its rows then, and before a commit; what it throws is thrown by
  /// what the statement went with, and so is its failure.
  using Check = std::function<void(Rows)>;
  void run_later(std::string_view literal, const Parameters& parameters, Check check = nullptr);
  /// Sends what was left for later, and waits for it.
  void flush();

  /// A script of ours, without parameters; the rows of its last statement, as texts.
  Rows execute(const std::string& sql);

  void begin();
  /// The same, and what every transaction asks first.
  struct Beginning {
    Time now{};
    bool has_queues = false;  // something was said of some queue
  };
  /// How a transaction begins. What it reads first may be asked for in `ahead`, by run_later(): it is answered together
  /// with the beginning.
  struct Manner {
    Size size = Size::any;
    std::function<void(Connection&)> ahead{};
  };
  /// `test`: what semel.now_ms() shall say in it, the time of a test's clock.
  Beginning begin_at(std::optional<Time> test, const Manner& manner);
  /// OutcomeUnknown when the connection broke while it was under way.
  void commit();
  /// Never throws: a transaction that cannot be ended breaks the connection, and so ends too.
  void roll_back() noexcept;

  /// The rows of a result that was got by raw(), or the fault that it stands for. Takes it over.
  Rows checked(pg_result* result) const;

  bool is_broken() const;
  /// What libpq says of the last failure, on one line.
  std::string what_is_wrong() const;
  /// 150004 for 15.4.
  int server_version() const;
  /// For what has no function of its own here.
  pg_conn* raw() const { return connection_.get(); }

 private:
  struct Finish {
    void operator()(pg_conn* connection) const;
  };

  /// A statement that was left for later; or that one is prepared, under that name.
  struct Sent {
    std::string* name = nullptr;
    Check check;
  };
  struct Answered {
    Check check;
    Rows rows;
  };

  pg_result* send(std::string_view literal, const Parameters& parameters);
  [[noreturn]] static void raise(const pg_result* result);
  void end_of_commit(const Rows& answer);
  // pipeline.cpp
  std::vector<Answered> receive();
  void settle(std::vector<Answered> answers) const;
  bool any_is_checked() const;

  std::unique_ptr<pg_conn, Finish> connection_;
  std::unordered_map<const char*, std::string> statements_;  // literal → name; empty: it was used once
  int prepared_ = 0;
  std::vector<Sent> sent_;        // and not yet answered
  Size planned_for_ = Size::any;  // by the session, from one transaction to the next
  Size size_ = Size::any;         // of the transaction
  bool broken_ = false;
};

}  // namespace semel::store::postgres
