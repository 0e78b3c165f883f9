#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "store/dedup_cache/redis_target.hpp"

struct redisContext;
struct redisReply;

namespace semel::store {

/// Redis cannot be reached, is too slow, or refuses. The connection is of no use any more.
class RedisFault : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t { broken, too_slow, refused };

  RedisFault(Kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

struct RedisPatience {
  Duration connect = 200ms;
  Duration answer = 50ms;  // the whole of it, however it drips in
};

/// One connection to a Redis server, open from its constructor on. Not for two threads at once. All throw RedisFault.
class Redis {
 public:
  Redis(const RedisTarget& target, RedisPatience patience);
  ~Redis();
  Redis(const Redis&) = delete;
  Redis& operator=(const Redis&) = delete;

  /// One for each key; what is not a text counts as absent.
  std::vector<std::optional<std::string>> get(std::span<const std::string> keys);

  struct Value {
    std::string key;
    std::string bytes;
    Duration life;
  };
  /// Those whose keys are not there.
  void add(std::span<const Value> values);
  /// Whatever is there.
  void set(const Value& value);

  void ping();
  /// A section of what the server tells of itself, lines of "name:value".
  std::string info(std::string_view section);

 private:
  struct ReplyEnd {
    void operator()(redisReply* reply) const;
  };
  using Reply = std::unique_ptr<redisReply, ReplyEnd>;
  using Clock = std::chrono::steady_clock;

  void log_in(const RedisTarget& target);
  void append(std::span<const std::string_view> words);
  void send();
  Reply receive();
  Reply ask(std::initializer_list<std::string_view> words);
  [[noreturn]] void fail(const std::string& doing) const;

  const RedisPatience patience_;
  redisContext* context_ = nullptr;
  Clock::time_point deadline_{};
};

}  // namespace semel::store
