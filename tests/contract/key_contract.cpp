#include "tests/contract/store_contract.hpp"

namespace semel::test {
namespace {

/// API keys and the audit log.
class KeyContract : public StoreContract {
 protected:
  static CreateKey key(std::string_view id, std::string_view tenant = default_tenant) {
    CreateKey command;
    command.key.id = id;
    command.key.tenant = tenant;
    command.key.name = "billing";
    command.key.permissions = 3;
    command.key.secret_hash = hash_of(id);
    command.key.created_by = "maker";
    return command;
  }
  KeyRevoked revoke(std::string_view id, std::optional<std::string> tenant = std::nullopt) {
    return as<KeyRevoked>(apply(RevokeKey{std::move(tenant), std::string(id), "revoker"}));
  }
  std::vector<std::string> audited(std::string_view tenant = default_tenant) {
    std::vector<std::string> lines;
    for (const AuditEntry& entry : store().audit(tenant, std::nullopt, 100)) {
      lines.push_back(fmt::format("{} {} {}", entry.actor, entry.action, entry.subject));
    }
    return lines;
  }
};
SEMEL_ON_ALL_STORES(KeyContract);

TEST_P(KeyContract, AKeyIsKeptWithAllItHas) {
  CreateKey command = key("k1");
  command.expires_in = 1h;

  const KeyCreated created = as<KeyCreated>(apply(command));

  EXPECT_EQ(created.key.created_at, now());
  EXPECT_EQ(created.key.expires_at, now() + 1h);
  EXPECT_EQ(created.key.revoked_at, std::nullopt);
  for (int round = 0; round < 2; ++round) {
    const std::vector<domain::ApiKey> keys = store().api_keys();
    ASSERT_EQ(keys.size(), 1u);
    EXPECT_EQ(describe(keys[0]), describe(created.key));
    EXPECT_EQ(keys[0].name, "billing");
    EXPECT_EQ(keys[0].permissions, 3);
    EXPECT_EQ(keys[0].secret_hash, hash_of("k1"));
    EXPECT_EQ(keys[0].created_by, "maker");
    if (round == 0) reopen();
  }
}

TEST_P(KeyContract, TheSameIdIsRefusedAndChangesNothing) {
  apply(key("k1"));
  CreateKey again = key("k1", "globex");
  again.key.secret_hash = hash_of("other");

  as<Rejected>(apply(again));

  ASSERT_EQ(store().api_keys().size(), 1u);
  EXPECT_EQ(store().api_keys()[0].tenant, default_tenant);
  EXPECT_EQ(audited("globex"), std::vector<std::string>{});
}

TEST_P(KeyContract, ARevokedKeyStaysWithTheFirstTime) {
  apply(key("k1"));
  advance(1s);
  const Time first = now();

  const KeyRevoked revoked = revoke("k1");
  advance(1s);
  const KeyRevoked again = revoke("k1");

  EXPECT_EQ(revoked.key.value().revoked_at, first);
  EXPECT_EQ(again.key.value().revoked_at, first);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(store().api_keys().size(), 1u);
    EXPECT_EQ(store().api_keys()[0].revoked_at, first);
    if (round == 0) reopen();
  }
  EXPECT_EQ(audited(), (std::vector<std::string>{"revoker key.revoke k1", "maker key.create k1"}));
}

TEST_P(KeyContract, AKeyOfAnotherTenantIsNotFound) {
  apply(key("k1", "globex"));

  EXPECT_EQ(revoke("k1", std::string(default_tenant)).key, std::nullopt);
  EXPECT_EQ(revoke("k2").key, std::nullopt);

  EXPECT_EQ(store().api_keys()[0].revoked_at, std::nullopt);
  EXPECT_EQ(revoke("k1", "globex").key.value().revoked_at, now());
}

TEST_P(KeyContract, TheAuditLogIsReadBackwardsInPages) {
  for (const char* id : {"a", "b", "c", "d", "e"}) apply(key(id));
  apply(key("x", "globex"));
  std::vector<std::string> seen;
  std::optional<std::int64_t> before;

  for (int page = 0; page < 3; ++page) {
    for (const AuditEntry& entry : store().audit(default_tenant, before, 2)) {
      seen.push_back(entry.subject);
      before = entry.seq;
    }
    apply(key(fmt::format("later-{}", page)));
  }

  EXPECT_EQ(seen, (std::vector<std::string>{"e", "d", "c", "b", "a"}));
  EXPECT_EQ(audited("globex"), std::vector<std::string>{"maker key.create x"});
  EXPECT_EQ(audited("nobody"), std::vector<std::string>{});
}

TEST_P(KeyContract, AReleaseIsAudited) {
  create_in(State::completed, task().key("a"));
  release(hash_of("a"));
  release(hash_of("a"));  // nothing to do any more
  release(hash_of("nobody's"));
  create(task().key("b"));
  release(hash_of("b"), true);

  reopen();

  const std::string a = to_hex(hash_of("a"));
  const std::string b = to_hex(hash_of("b"));
  EXPECT_EQ(audited(),
            (std::vector<std::string>{"admin-key identity.release.force " + b, "admin-key identity.release " + a}));
  EXPECT_EQ(store().audit(default_tenant, std::nullopt, 1).at(0).at, now());
}

}  // namespace
}  // namespace semel::test
