#pragma once
#include <filesystem>
#include <string>

namespace semel::test {

/// Two PEM files: a new self-signed certificate for localhost and 127.0.0.1, and its key.
struct Certificate {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

/// Writes them to the folder as NAME.pem and NAME.key; the common name of the subject is `name` too. With a passphrase,
/// the key needs it.
Certificate make_certificate(const std::filesystem::path& folder, const std::string& name,
                             const std::string& passphrase = "");

/// Puts the files of `from` in the place of those of `to`, each in one step.
void replace_certificate(const Certificate& to, const Certificate& from);

}  // namespace semel::test
