#include "store/dedup_cache/examine_cache.hpp"

#include <fmt/format.h>

#include "store/dedup_cache/redis.hpp"

namespace semel::store {
namespace {

/// The value of "name:value"; empty when there is no such line.
std::string value_in(const std::string& info, std::string_view name) {
  const std::size_t begin = ("\n" + info).find(fmt::format("\n{}:", name));
  if (begin == std::string::npos) return "";
  const std::size_t value = begin + name.size() + 1;
  return info.substr(value, std::min(info.find_first_of("\r\n", value), info.size()) - value);
}

void examine_memory(const std::string& memory, Findings& findings) {
  const std::string policy = value_in(memory, "maxmemory_policy");
  const std::string limit = value_in(memory, "maxmemory");
  const bool is_limited = !limit.empty() && limit != "0";
  const std::string found = is_limited ? fmt::format("at most {} bytes, {}", limit, policy) : "no limit";
  if (is_limited && policy == "noeviction")
    return findings.warn("cache memory",
                         found + ": when it is full, no identity can be released; set maxmemory-policy allkeys-lru");
  findings.ok("cache memory", found);
}

}  // namespace

Findings examine_cache(const RedisTarget& target) {
  Findings findings;
  try {
    Redis redis(target, {2s, 2s});
    const std::string role = value_in(redis.info("replication"), "role");
    const std::string found = fmt::format("{}:{} answers, Redis {}", target.host, target.port,
                                          value_in(redis.info("server"), "redis_version"));
    if (role == "slave")
      findings.fail("dedup cache", found + ": it is a replica, and takes no writes; name the primary");
    else findings.ok("dedup cache", found);
    examine_memory(redis.info("memory"), findings);
  } catch (const RedisFault& fault) {
    findings.fail("dedup cache", fmt::format("{}:{}: {}; servers ask PostgreSQL meanwhile, and refuse to release",
                                             target.host, target.port, fault.what()));
  }
  return findings;
}

}  // namespace semel::store
