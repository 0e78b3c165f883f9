#pragma once
#include <gmock/gmock.h>

#include <condition_variable>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sdk/client_core.hpp"
#include "semel/embed.hpp"
#include "semel/semel.hpp"
#include "tests/support/places.hpp"
#include "tests/support/process.hpp"
#include "tests/support/sanitized.hpp"

/// Processes that work on workflows of five steps die by `kill -9`, and others go on: every workflow ends, and the
/// result of every step is recorded once.
namespace semel::test {

inline constexpr int steps = 5;

struct Plan {
  int workflows;
  int kills;
};
inline constexpr Plan small_plan = is_sanitized ? Plan{20, 2} : Plan{60, 3};
inline constexpr Plan large_plan{2'000, 30};

/// The steps that all processes have done. From any thread.
class Progress {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    ++alive_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    --alive_;
    changed_.notify_all();
  }
  void add() {
    const std::lock_guard lock(mutex_);
    ++steps_;
    changed_.notify_all();
  }
  /// Waits until so many steps were done, or nobody is left to do them.
  void reach(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return steps_ >= count || alive_ == 0; });
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  int steps_ = 0;
  int alive_ = 0;
};

/// A process, from its start to its end.
class Life {
 public:
  Life(Progress& progress, std::vector<std::string> command) : process_(std::move(command)) {
    progress.begin();
    reader_ = std::thread([&] {
      while (const std::optional<std::string> line = process_.read_line()) {
        progress.add();
        last_line_ = *line;
      }
      progress.end();
    });
  }
  ~Life() {
    if (!reader_.joinable()) return;
    kill();
    reader_.join();
  }
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  void kill() const { process_.signal(SIGKILL); }
  /// Its exit code.
  int end() {
    reader_.join();
    return process_.wait();
  }
  /// For when it has ended.
  const std::string& last_line() const { return last_line_; }
  std::string errors() const { return process_.errors(); }

 private:
  Process process_;
  std::string last_line_;
  std::thread reader_;  // last: uses what is above
};

/// Processes on one store, and the one that kills them.
class Killing {
 public:
  /// What each of the processes is started with.
  using Command = std::vector<std::string>;

  Killing(Plan plan, std::vector<Command> commands) : plan_(plan), commands_(std::move(commands)) {
    for (const Command& command : commands_) lives_.push_back(start(command));
  }

  void run() {
    std::mt19937 random(4711);
    const int part = plan_.workflows * steps / (plan_.kills + 1);  // so that the last dies before the work is done
    int killed = 0;
    for (int i = 0; i < plan_.kills; ++i) {
      progress_.reach(i * part + 1 + static_cast<int>(random() % static_cast<unsigned>(part)));
      const std::size_t victim = random() % lives_.size();
      lives_[victim]->kill();
      killed += lives_[victim]->end() == -SIGKILL ? 1 : 0;
      lives_[victim] = start(commands_[victim]);
    }
    EXPECT_EQ(killed, plan_.kills);
    for (const auto& life : lives_) {
      EXPECT_EQ(life->end(), 0) << life->errors();
      EXPECT_EQ(life->last_line(), "all");
    }
  }

 private:
  std::unique_ptr<Life> start(const Command& command) { return std::make_unique<Life>(progress_, command); }

  const Plan plan_;
  const std::vector<Command> commands_;
  Progress progress_;
  std::vector<std::unique_ptr<Life>> lives_;
};

/// doomed_worker on a store, or with "server:ADDRESS" of a server.
inline Killing::Command doomed_worker(const std::string& store, Plan plan) {
  return {places::doomed_worker, store, std::to_string(plan.workflows)};
}

inline std::vector<sdk::Event> history_of(Client& client, const std::string& id) {
  std::vector<sdk::Event> events;
  for (bool has_more = true; has_more;) {
    const auto page = client.core()->backend().history(id, events.empty() ? 0 : events.back().sequence, 1'000);
    if (!page) throw std::runtime_error(page.error().message);
    events.insert(events.end(), page->events.begin(), page->events.end());
    has_more = page->has_more;
  }
  return events;
}

/// What the history of one workflow says, to be compared with its result.
struct Recorded {
  std::map<std::string, int> kinds{};
  std::multiset<std::string> closed{};   // the task_keys of what has ended
  std::multiset<std::string> results{};  // that tasks and promises ended with
};

inline Recorded read_history(const std::vector<sdk::Event>& events) {
  Recorded recorded;
  for (const sdk::Event& event : events) {
    ++recorded.kinds[event.kind];
    if (event.kind != "task_completed") continue;
    recorded.closed.insert(event.task_key);
    recorded.results.insert(Json::parse(event.detail).at("result").get<std::string>());
  }
  return recorded;
}

/// Looks into the store, when all processes have ended.
inline void expect_all_recorded_once(const std::string& store, int workflows) {
  Client client = embed(store);
  std::set<std::string> all_tokens;
  for (int i = 0; i < workflows; ++i) {
    const std::string workflow = "five-" + std::to_string(i);
    const auto handle = client.start_workflow<std::vector<std::string>>("five_steps", workflow, i);
    ASSERT_FALSE(handle.is_new()) << workflow;
    const std::vector<std::string> tokens = handle.result();
    const Recorded recorded = read_history(history_of(client, handle.id()));

    EXPECT_THAT(recorded.kinds, testing::UnorderedElementsAre(
                                    testing::Pair("run_started", 1), testing::Pair("task_scheduled", steps),
                                    testing::Pair("promise_created", 1), testing::Pair("task_completed", steps + 1),
                                    testing::Pair("timer_started", 2), testing::Pair("timer_fired", 2),
                                    testing::Pair("run_completed", 1)))
        << workflow;
    const std::set<std::string> ended(recorded.closed.begin(), recorded.closed.end());
    EXPECT_THAT(ended, testing::SizeIs(steps + 1)) << "something has ended twice in " << workflow;
    EXPECT_EQ(recorded.results, std::multiset<std::string>(tokens.begin(), tokens.end())) << workflow;
    all_tokens.insert(tokens.begin(), tokens.end());
  }
  EXPECT_THAT(all_tokens, testing::SizeIs(workflows * (steps + 1))) << "a result belongs to one step";
}

}  // namespace semel::test
