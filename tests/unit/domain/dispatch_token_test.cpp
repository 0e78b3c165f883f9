#include "domain/dispatch_token.hpp"

#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/hmac.hpp"
#include "base/sha256.hpp"

namespace semel::domain {
namespace {

const Hash32 token_key = sha256("a secret");
const Time token_start = from_ms(1'768'910'400'000);

DispatchGrant some_grant() {
  return {"acme", *ExecutionId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fc"),
          *AttemptId::parse("019bddae-b818-7d82-b7c5-bd42e5db27fd"), token_start + 1h};
}

TEST(DispatchToken, GivesBackWhatItGrants) {
  const std::string token = make_dispatch_token(token_key, some_grant());

  EXPECT_EQ(check_dispatch_token(token_key, token, token_start), some_grant());
}

TEST(DispatchToken, ExpiresAtItsTime) {
  const std::string token = make_dispatch_token(token_key, some_grant());

  EXPECT_TRUE(check_dispatch_token(token_key, token, token_start + 1h - 1ms));
  const Result<DispatchGrant> late = check_dispatch_token(token_key, token, token_start + 1h);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::unauthorized);
  EXPECT_EQ(late.error().message, "the token of this dispatched task has expired");
}

TEST(DispatchToken, OfAnotherKeyIsNone) {
  EXPECT_FALSE(check_dispatch_token(sha256("another"), make_dispatch_token(token_key, some_grant()), token_start));
}

TEST(DispatchToken, WithAnyCharacterChangedIsNone) {
  const std::string token = make_dispatch_token(token_key, some_grant());
  for (std::size_t at = 0; at < token.size(); ++at) {
    std::string changed = token;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';

    const Result<DispatchGrant> checked = check_dispatch_token(token_key, changed, token_start);
    ASSERT_FALSE(checked) << changed;
    EXPECT_EQ(checked.error().code, ErrorCode::unauthorized);
  }
}

TEST(DispatchToken, ThatIsCutOrLongerIsNone) {
  const std::string token = make_dispatch_token(token_key, some_grant());
  for (std::size_t size = 0; size < token.size(); ++size)
    EXPECT_FALSE(check_dispatch_token(token_key, token.substr(0, size), token_start)) << size;
  EXPECT_FALSE(check_dispatch_token(token_key, token + "A", token_start));
  EXPECT_FALSE(check_dispatch_token(token_key, token + "." + token, token_start));
}

TEST(DispatchToken, IsSealedForItsPurposeOnly) {
  const std::string text =
      "acme 019bddae-b818-7d82-b7c5-bd42e5db27fc 019bddae-b818-7d82-b7c5-bd42e5db27fd 9999999999999";
  const std::string seal(as_text(hmac_sha256(as_text(token_key), text)));

  EXPECT_FALSE(check_dispatch_token(token_key, "sdt1_" + to_base64url(text) + "." + to_base64url(seal), token_start));
}

}  // namespace
}  // namespace semel::domain
