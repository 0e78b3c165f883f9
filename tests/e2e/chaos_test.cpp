#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <set>

#include "tests/e2e/sanitized.hpp"
#include "tests/e2e/server_process.hpp"
#include "tests/support/database.hpp"
#include "tests/support/temp_dir.hpp"

/// Workers and the server, all of them real processes, are killed at random while tasks are worked off.
namespace semel::test {
namespace {

constexpr int chaos_workers = 8;
constexpr std::size_t id_chars = 36;

/// What the processes share: where the server is. Workers tell what was accepted through a pipe.
struct Shared {
  std::atomic<int> port = 0;
};

/// One process that works until it is killed. It answers for most of what it takes, and forgets the rest.
class ChaosWorker {
 public:
  ChaosWorker(const Shared& shared, int accepted, unsigned seed)
      : shared_(shared), accepted_(accepted), random_(seed) {}

  [[noreturn]] void work() {
    while (true) {
      try {
        HttpClient client("127.0.0.1:" + std::to_string(shared_.port));
        while (true) work_off(client, poll_for(client));
      } catch (const std::exception&) {  // the server was killed, and comes again
      }
    }
  }

 private:
  Json poll_for(HttpClient& client) {
    const Json body{{"worker_id", std::to_string(getpid())},
                    {"queues", {"chaos"}},
                    {"max", 20},
                    {"wait_ms", 200},
                    {"lease_ms", 1'000}};
    return client.ask({.method = "POST", .target = "/v1/worker/poll", .body = body.dump()}).json()["leases"];
  }

  void work_off(HttpClient& client, const Json& leases) {
    for (const Json& lease : leases) {
      const std::string attempt = lease["attempt_id"];
      const auto luck = random_() % 100;
      if (luck < 3) continue;  // its lease will end
      const bool fails = luck < 8;
      const Json body = fails ? Json{{"error", {{"type", "CHAOS"}, {"message", "bad luck"}}}}
                              : Json{{"result", {{"attempt", attempt}}}};
      const HttpAnswer answer = client.ask({.method = "POST",
                                            .target = "/v1/attempts/" + attempt + (fails ? "/fail" : "/complete"),
                                            .body = body.dump()});
      if (!fails && answer.status == 200 && !answer.json().contains("already_recorded")) tell(attempt);
    }
  }

  void tell(const std::string& attempt) {
    if (write(accepted_, attempt.data(), id_chars) != static_cast<ssize_t>(id_chars)) _exit(1);
  }

  const Shared& shared_;
  const int accepted_;
  std::mt19937 random_;
};

class ChaosRun {
 public:
  ChaosRun(int tasks, int kills) : tasks_(tasks), kills_(kills) {
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (memory) Shared;
    if (pipe2(pipe_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    start_server();
  }
  ~ChaosRun() {
    for (const pid_t worker : workers_) end(worker);
    munmap(shared_, sizeof(Shared));
    close(pipe_[0]);
    close(pipe_[1]);
  }
  ChaosRun(const ChaosRun&) = delete;
  ChaosRun& operator=(const ChaosRun&) = delete;

  void run() {
    submit_all();
    for (int i = 0; i < chaos_workers; ++i) workers_.push_back(start_worker());
    for (int kill = 1; kill <= kills_; ++kill) {
      // Spread over the first half of the work, so that something is left for those who come after the last one.
      wait_for(static_cast<std::size_t>(tasks_) * static_cast<std::size_t>(kill) /
               (2 * static_cast<std::size_t>(kills_)));
      kill_somebody();
    }
    while (!is_over()) wait_for(accepted_.size() + 1);
    EXPECT_EQ(server_->stop(), 0);
  }

  void expect_all_done_once() {
    Database database(file_);
    EXPECT_EQ(database.value("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(database.count("SELECT count(*) FROM executions"), static_cast<std::size_t>(tasks_));
    EXPECT_EQ(database.count("SELECT count(*) FROM executions WHERE state <> 3"), 0u) << "a task is not completed";
    EXPECT_EQ(database.count("SELECT count(*) FROM (SELECT 1 FROM attempts WHERE outcome = 1 GROUP BY seq"
                             " HAVING count(*) > 1)"),
              0u)
        << "a task was completed twice";
    EXPECT_EQ(database.count("SELECT count(*) FROM executions e WHERE NOT EXISTS (SELECT 1 FROM attempts a"
                             " WHERE a.seq = e.seq AND a.outcome = 1 AND a.number = e.attempt AND lower(hex(a.id)) ="
                             " replace(json_extract(e.result, '$.attempt'), '-', ''))"),
              0u)
        << "a result is not that of the last attempt";
    const std::vector<std::string> completed = database.column("SELECT lower(hex(id)) FROM attempts WHERE outcome = 1");
    const std::set<std::string> known(completed.begin(), completed.end());
    for (std::string attempt : accepted_) {
      std::erase(attempt, '-');
      EXPECT_TRUE(known.contains(attempt)) << "the result of " << attempt << " was accepted, and did not count";
    }
    EXPECT_GT(database.count("SELECT count(*) FROM attempts WHERE outcome <> 1"), 0u);  // there was some chaos
  }

 private:
  void start_server() {
    server_.reset();
    server_.emplace(file_);
    shared_->port = std::stoi(server_->port());
  }

  pid_t start_worker() {
    const unsigned seed = static_cast<unsigned>(random_());
    const pid_t child = fork();
    if (child == 0) ChaosWorker(*shared_, pipe_[1], seed).work();
    return child;
  }

  static void end(pid_t worker) {
    kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0);
  }

  void kill_somebody() {
    if (random_() % 5 == 0) {
      server_->process().signal(SIGKILL);
      server_->process().wait();
      start_server();
      return;
    }
    pid_t& worker = workers_[random_() % workers_.size()];
    end(worker);
    worker = start_worker();
  }

  void submit_all() {
    RestClient client = server_->connect();
    for (int done = 0; done < tasks_; done += 500) {
      Json batch = Json::array();
      for (int i = done; i < std::min(done + 500, tasks_); ++i) {
        batch.push_back({{"handler", "a"},
                         {"queue", "chaos"},
                         {"idempotency_key", std::to_string(i)},
                         {"max_attempts", 1'000},
                         {"retry", {{"base", "0"}}}});
      }
      const Reply reply = client.post("/v1/tasks:batch", {{"tasks", batch}});
      ASSERT_EQ(reply.status, 200);
    }
  }

  /// Reads what was accepted, until there is so much of it, or nothing comes for a while.
  void wait_for(std::size_t accepted) {
    while (accepted_.size() < accepted) {
      pollfd waiting{pipe_[0], POLLIN, 0};
      if (::poll(&waiting, 1, 500) <= 0) return;
      char id[id_chars];
      ASSERT_EQ(read(pipe_[0], id, id_chars), static_cast<ssize_t>(id_chars));
      accepted_.emplace(id, id_chars);
    }
  }

  bool is_over() {
    const Json depth = server_->connect().get("/v1/queues/chaos").body["depth"];
    return depth["ready"] == 0 && depth["waiting"] == 0 && depth["running"] == 0;
  }

  const int tasks_;
  const int kills_;
  TempDir folder_;
  const std::filesystem::path file_ = folder_ / "chaos.db";
  std::mt19937 random_{20261116};
  Shared* shared_ = nullptr;
  int pipe_[2] = {-1, -1};
  std::optional<ServerProcess> server_;
  std::vector<pid_t> workers_;
  std::set<std::string> accepted_;  // attempts
};

TEST(Chaos, EveryTaskCompletesOnceWhoeverIsKilled) {
  ChaosRun chaos(is_sanitized ? 300 : 2'000, is_sanitized ? 10 : 40);

  chaos.run();

  chaos.expect_all_done_once();
}

TEST(ChaosLong, EveryTaskCompletesOnceWhoeverIsKilled) {
  ChaosRun chaos(20'000, 400);

  chaos.run();

  chaos.expect_all_done_once();
}

}  // namespace
}  // namespace semel::test
