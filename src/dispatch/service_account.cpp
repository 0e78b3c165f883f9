#include "dispatch/service_account.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <map>

#include "base/base64.hpp"
#include "base/ensure.hpp"
#include "base/json/writer.hpp"
#include "base/url.hpp"
#include "dispatch/json_texts.hpp"

namespace semel::dispatch {
namespace {

constexpr std::string_view scope = "https://www.googleapis.com/auth/cloud-platform";
constexpr std::int64_t assertion_seconds = 3600;  // Google takes no longer ones

std::shared_ptr<EVP_PKEY> read_private_key(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                       BIO_free);
  const auto no_passphrase = [](char*, int, int, void*) { return 0; };
  return {PEM_read_bio_PrivateKey(text.get(), nullptr, no_passphrase, nullptr), EVP_PKEY_free};
}

std::string sign_rs256(EVP_PKEY* key, std::string_view text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  ensure(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1);
  ensure(EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1);
  std::string signature(size, '\0');
  ensure(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size()) ==
         1);
  signature.resize(size);
  return signature;
}

}  // namespace

Result<ServiceAccount> ServiceAccount::parse(std::string_view json) {
  const auto refused = [](std::string_view what) {
    return bad_request("the credentials of Cloud Tasks cannot be used: {}", what);
  };
  const std::map<std::string, std::string> texts = texts_of(json);
  const auto text = [&](const char* name) { return texts.contains(name) ? texts.at(name) : std::string(); };
  if (text("type") != "service_account") return refused("they are not the JSON key of a service account");
  ServiceAccount account;
  account.email_ = text("client_email");
  account.key_id_ = text("private_key_id");
  account.token_url_ = text("token_uri");
  if (account.email_.empty()) return refused("client_email is missing");
  if (!parse_http_url(account.token_url_)) return refused("token_uri is not a url");
  account.key_ = read_private_key(text("private_key"));
  if (!account.key_ || EVP_PKEY_get_base_id(account.key_.get()) != EVP_PKEY_RSA)
    return refused("private_key is not an RSA key in PEM");
  return account;
}

std::string ServiceAccount::assertion(std::string_view audience, Time now) const {
  const std::int64_t issued_at = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  json::Writer head;
  head.begin_object().string("alg", "RS256").string("typ", "JWT");
  if (!key_id_.empty()) head.string("kid", key_id_);
  head.end_object();
  json::Writer claims;
  claims.begin_object().string("iss", email_).string("scope", scope).string("aud", audience);
  claims.integer("iat", issued_at).integer("exp", issued_at + assertion_seconds).end_object();
  std::string token = to_base64url(head.text()) + "." + to_base64url(claims.text());
  const std::string signature = sign_rs256(key_.get(), token);
  return token.append(".").append(to_base64url(signature));
}

}  // namespace semel::dispatch
