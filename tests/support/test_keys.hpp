#pragma once
#include <atomic>
#include <map>
#include <string>

#include "ports/authenticator.hpp"

namespace semel::test {

/// The API keys of the tests: `Authorization: Bearer NAME`. The name is the key's id, too. Every request asks
/// once, so that it also tells how many requests the server has begun to handle.
class TestKeys final : public Authenticator {
 public:
  Result<domain::Principal> authenticate(const Credentials& credentials) const override {
    ++asked_;
    asked_.notify_all();
    constexpr std::string_view scheme = "Bearer ";
    if (!credentials.authorization.starts_with(scheme)) return unknown();
    const auto found = keys().find(std::string(credentials.authorization.substr(scheme.size())));
    if (found == keys().end()) return unknown();
    return domain::Principal{found->second.tenant, found->first, found->second.permissions};
  }

  std::size_t requests() const { return asked_; }
  /// Returns when so many requests have come since the beginning.
  void wait_for_requests(std::size_t count) const {
    for (std::size_t now = asked_; now < count; now = asked_) asked_.wait(now);
  }

 private:
  struct Key {
    std::string tenant;
    std::uint8_t permissions;
  };

  static tl::unexpected<Error> unknown() { return refuse(ErrorCode::unauthorized, "send Authorization: Bearer KEY"); }

  static const std::map<std::string, Key>& keys() {
    constexpr std::uint8_t create = 1, read = 2, cancel = 4, work = 8;
    static_assert(create == static_cast<std::uint8_t>(domain::Permission::tasks_create));
    static_assert(work == static_cast<std::uint8_t>(domain::Permission::workers));
    static const std::map<std::string, Key> all{
        {"admin", {"acme", domain::all_permissions}},
        {"reader", {"acme", create | read | cancel}},  // creates, and reads what others created
        {"maker", {"acme", create}},                   // reads only what it created itself
        {"other", {"acme", create}},                   // the same, another key
        {"viewer", {"acme", read}},
        {"worker", {"acme", work}},
        {"nobody", {"acme", 0}},
        {"globex", {"globex", domain::all_permissions}},     // another tenant
        {"operator", {"default", domain::all_permissions}},  // manages the keys of all tenants
    };
    return all;
  }

  mutable std::atomic<std::size_t> asked_ = 0;
};

}  // namespace semel::test
