#include <condition_variable>
#include <mutex>

#include "store/postgres/listener.hpp"
#include "tests/unit/postgres/store_fixture.hpp"

namespace semel::test {
namespace {

/// What one server does for all is done by one of those that listen; which one, the database decides.
class PostgresLead : public PostgresStores {
 protected:
  /// A store that listens, and whoever waits for it to lead.
  class Server {
   public:
    explicit Server(std::unique_ptr<store::PostgresStore> store) : store_(std::move(store)) {
      store_->listen([this](const News& news) {
        const std::lock_guard lock(mutex_);
        heard_ = heard_ || !news.changes.empty();
        times_led_ += news.leads_now ? 1 : 0;
        changed_.notify_all();
      });
    }
    ~Server() { store_->listen(nullptr); }

    bool leads() { return store_->leads(); }
    /// Fails, and does not hang, when it never does.
    bool comes_to_lead(int times = 1) {
      return waits_until([&] { return times_led_ >= times; });
    }
    /// Whoever hears has asked for the lead before.
    bool hears() {
      return waits_until([&] { return heard_; });
    }
    void apply(const Command& command) { store_->apply({&command, 1}); }

   private:
    bool waits_until(const std::function<bool()>& is_so) {
      std::unique_lock lock(mutex_);
      return changed_.wait_for(lock, std::chrono::seconds(60), is_so);
    }

    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    bool heard_ = false;
    int times_led_ = 0;
    std::unique_ptr<store::PostgresStore> store_;  // last: it calls the above
  };

  /// What is told before somebody listens is told to nobody. (Nothing says when that is; the server is asked.)
  bool await_listeners(int wanted) {
    const auto observer = database_.open();
    for (int tries = 0; tries < 2000; ++tries) {
      const auto listening = observer->execute(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%(listening)'"
          " AND state = 'idle' AND query NOT LIKE 'SET %'");
      if (listening.count() == wanted) return true;
      observer->execute("SELECT pg_sleep(0.005)");
    }
    return false;
  }

  std::string leader_pid() {
    return database_.open()
        ->execute(
            "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND ((classid::bigint << 32) |"
            " objid::bigint) = " +
            std::to_string(store::postgres::leader_lock))
        .text(0, "pid");
  }
};

TEST_F(PostgresLead, OneOfSeveralLeads) {
  Server first(open());
  ASSERT_TRUE(first.comes_to_lead());

  Server second(open());
  ASSERT_TRUE(await_listeners(2));
  first.apply(task().build());
  ASSERT_TRUE(second.hears());

  EXPECT_TRUE(first.leads());
  EXPECT_FALSE(second.leads());
}

TEST_F(PostgresLead, AnotherTakesOverWhenTheLeaderEnds) {
  auto first = std::make_unique<Server>(open());
  ASSERT_TRUE(first->comes_to_lead());
  Server second(open());

  first.reset();

  EXPECT_TRUE(second.comes_to_lead());
  EXPECT_TRUE(second.leads());
}

TEST_F(PostgresLead, WhoLosesItsConnectionNoLongerLeadsUntilItIsChosenAgain) {
  Server only(open());
  ASSERT_TRUE(only.comes_to_lead());

  database_.open()->execute("SELECT pg_terminate_backend(" + leader_pid() + ")");

  EXPECT_TRUE(only.comes_to_lead(2));
}

}  // namespace
}  // namespace semel::test
