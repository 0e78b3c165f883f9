#include "tests/support/certificate.hpp"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace semel::test {
namespace {

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using X509Certificate = std::unique_ptr<X509, void (*)(X509*)>;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

void require(bool is_done) {
  if (!is_done) throw std::runtime_error("cannot make a certificate");
}

File open(const std::filesystem::path& path) {
  File file(std::fopen(path.c_str(), "wb"), std::fclose);
  require(file != nullptr);
  return file;
}

void add_extension(X509* certificate, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value);
  require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

X509Certificate make(EVP_PKEY* key, const std::string& name) {
  X509Certificate made(X509_new(), X509_free);
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -24L * 3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 24L * 3600);
  X509_set_pubkey(made.get(), key);
  X509_NAME* subject = X509_get_subject_name(made.get());
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  require(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1);
  X509_set_issuer_name(made.get(), subject);
  add_extension(made.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(made.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  require(X509_sign(made.get(), key, EVP_sha256()) > 0);
  return made;
}

}  // namespace

Certificate make_certificate(const std::filesystem::path& folder, const std::string& name,
                             const std::string& passphrase) {
  const Certificate files{folder / (name + ".pem"), folder / (name + ".key")};
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  require(key != nullptr);
  const X509Certificate certificate = make(key.get(), name);
  require(PEM_write_X509(open(files.certificate).get(), certificate.get()) == 1);
  const EVP_CIPHER* cipher = passphrase.empty() ? nullptr : EVP_aes_128_cbc();
  const auto* secret = reinterpret_cast<const unsigned char*>(passphrase.data());
  require(PEM_write_PrivateKey(open(files.key).get(), key.get(), cipher, secret, static_cast<int>(passphrase.size()),
                               nullptr, nullptr) == 1);
  return files;
}

void replace_certificate(const Certificate& to, const Certificate& from) {
  std::filesystem::rename(from.certificate, to.certificate);
  std::filesystem::rename(from.key, to.key);
}

}  // namespace semel::test
