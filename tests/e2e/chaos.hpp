#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <set>

#include "tests/e2e/server_process.hpp"

/// Workers and servers, all of them real processes, are killed at random while tasks are worked off.
namespace semel::test {

inline constexpr int chaos_workers = 8;
inline constexpr std::size_t chaos_servers_max = 3;
inline constexpr std::size_t id_chars = 36;

/// What the processes share: where the servers are. Workers tell what was accepted through a pipe.
struct Shared {
  std::array<std::atomic<int>, chaos_servers_max> ports{};
  std::size_t servers = 0;
};

/// One process that works until it is killed. It answers for most of what it takes, and forgets the rest.
class ChaosWorker {
 public:
  ChaosWorker(const Shared& shared, int accepted, unsigned seed)
      : shared_(shared), accepted_(accepted), random_(seed) {}

  [[noreturn]] void work() {
    while (true) {
      try {
        HttpClient client("127.0.0.1:" + std::to_string(shared_.ports[random_() % shared_.servers]));
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
  using MakeServer = std::function<std::unique_ptr<ServerProcess>()>;

  /// `make_server` starts one on the store that all of them have.
  ChaosRun(int tasks, int kills, std::size_t servers, MakeServer make_server)
      : tasks_(tasks), kills_(kills), make_server_(std::move(make_server)), servers_(servers) {
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (memory) Shared;
    shared_->servers = servers;
    if (pipe2(pipe_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    for (std::size_t i = 0; i < servers; ++i) start_server(i);
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
    for (const auto& server : servers_) EXPECT_EQ(server->stop(), 0);
  }

  /// The attempts whose results were accepted.
  const std::set<std::string>& accepted() const { return accepted_; }
  std::size_t tasks() const { return static_cast<std::size_t>(tasks_); }

 private:
  void start_server(std::size_t number) {
    servers_[number].reset();
    servers_[number] = make_server_();
    shared_->ports[number] = std::stoi(servers_[number]->port());
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
      const std::size_t number = random_() % servers_.size();
      servers_[number]->process().signal(SIGKILL);
      servers_[number]->process().wait();
      start_server(number);
      return;
    }
    pid_t& worker = workers_[random_() % workers_.size()];
    end(worker);
    worker = start_worker();
  }

  void submit_all() {
    RestClient client = servers_.front()->connect();
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
    const Json depth = servers_.front()->connect().get("/v1/queues/chaos").body["depth"];
    return depth["ready"] == 0 && depth["waiting"] == 0 && depth["running"] == 0;
  }

  const int tasks_;
  const int kills_;
  const MakeServer make_server_;
  std::mt19937 random_{20261116};
  Shared* shared_ = nullptr;
  int pipe_[2] = {-1, -1};
  std::vector<std::unique_ptr<ServerProcess>> servers_;
  std::vector<pid_t> workers_;
  std::set<std::string> accepted_;  // attempts
};

}  // namespace semel::test
