#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/sha256.hpp"
#include "domain/identity.hpp"
#include "tests/support/json.hpp"
#include "tests/support/places.hpp"
#include "tests/unit/domain/domain_builders.hpp"

/// The golden vectors, which script/lib/identity_vectors.py computes without any of our code.
namespace semel::domain {
namespace {

using Json = nlohmann::json;

Json read_vectors(const std::string& name) {
  std::ifstream file(std::string(semel::test::places::sources) + "/docs/reference/" + name);
  return Json::parse(file);
}

std::string hex_of(std::string_view bytes) {
  return to_hex(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

Mode mode_of(const Json& vector) { return vector["mode"] == "key" ? Mode::key : Mode::context; }

std::optional<std::int64_t> bucket_of(const Json& vector) {
  if (vector["bucket"].is_null()) return std::nullopt;
  return vector["bucket"].get<std::int64_t>();
}

Template template_of(const Json& vector) {
  Template template_ = test::payment(mode_of(vector) == Mode::key ? Strategy::caller_provided : Strategy::strict);
  if (vector.contains("template")) {
    template_.namespace_ = vector["template"]["namespace"];
    template_.name = vector["template"]["name"];
    template_.version = vector["template"]["version"];
  }
  template_.identity.scope = parse_scope(vector["scope"].get<std::string>()).value();
  if (vector.contains("fields")) template_.identity.fields = test::pointers(vector["fields"]);
  if (vector.contains("ignore")) template_.identity.ignore = test::pointers(vector["ignore"]);
  if (!vector["bucket"].is_null()) template_.identity.period = 1h;
  return template_;
}

TEST(IdentityVectors, CoverEveryModeAndScope) {
  std::map<std::string, int> seen;
  const Json vectors = read_vectors("identity-vectors.json");

  for (const Json& vector : vectors) {
    ++seen[vector["mode"].get<std::string>() + " " + vector["scope"].get<std::string>()];
  }

  EXPECT_GE(vectors.size(), 20u);
  EXPECT_EQ(seen.size(), 8u);
}

TEST(IdentityVectors, AreWhatTheHashGives) {
  for (const Json& vector : read_vectors("identity-vectors.json")) {
    const std::string tenant = vector["tenant"];
    const std::string value = bytes_of(vector["scope_value_hex"]);
    const std::string material = vector["material"];

    const Hash32 hash = identity_hash({mode_of(vector), tenant, parse_scope(vector["scope"].get<std::string>()).value(),
                                       value, material, bucket_of(vector)});

    EXPECT_EQ(to_hex(hash), vector["hash"].get<std::string>()) << vector["description"];
  }
}

TEST(IdentityVectors, AreWhatARequestWithThatKeyOrContextGets) {
  for (const Json& vector : read_vectors("identity-vectors.json")) {
    const Template template_ = template_of(vector);
    const std::string tenant = vector["tenant"];
    const std::string queue = vector.value("queue", "billing");
    const std::string material = vector["material"];
    const std::string canonical = json::canonicalize(vector.value("context", "{}")).value();
    IdentityRequest request;
    request.tenant = tenant;
    if (mode_of(vector) == Mode::key) request.key = material;
    request.template_ = &template_;
    request.queue = queue;
    request.canonical_context = canonical;
    request.now = Time{std::chrono::seconds{bucket_of(vector).value_or(0)}} + 59min;

    const Result<Identified> identified = identify(request);

    ASSERT_TRUE(identified) << vector["description"];
    EXPECT_EQ(identified->material, material) << vector["description"];
    EXPECT_EQ(hex_of(identified->scope_value), vector["scope_value_hex"].get<std::string>()) << vector["description"];
    EXPECT_EQ(identified->identity.bucket, bucket_of(vector)) << vector["description"];
    EXPECT_EQ(to_hex(identified->identity.hash), vector["hash"].get<std::string>()) << vector["description"];
  }
}

TEST(IdentityVectors, HaveTheFingerprintThatAPlanGets) {
  for (const Json& vector : read_vectors("identity-vectors.json")) {
    if (!vector.contains("fingerprint")) continue;
    const Template template_ = template_of(vector);
    const Principal principal{vector["tenant"], "key-1", all_permissions};

    const Result<Plan> planned =
        plan(test::submission_of(&template_, vector["context"]), {principal, &template_, {}, {}, test::noon});

    ASSERT_TRUE(planned) << vector["description"];
    EXPECT_EQ(to_hex(planned->spec.fingerprint.value()), vector["fingerprint"].get<std::string>())
        << vector["description"];
  }
}

TEST(IdentityVectors, HaveTheHashThatTheReferenceShows) {
  std::ifstream file(std::string(semel::test::places::sources) + "/docs/reference/identity-hash.md");
  const std::string reference{std::istreambuf_iterator<char>(file), {}};
  const Json first = read_vectors("identity-vectors.json").at(0);

  EXPECT_EQ(first["description"], "a key of an ad-hoc task");
  EXPECT_NE(reference.find(first["hash"].get<std::string>()), std::string::npos);
}

TEST(CanonicalJsonVectors, AreWhatTheCanonicalFormGives) {
  const Json vectors = read_vectors("canonical-json-vectors.json");
  ASSERT_GE(vectors.size(), 30u);

  for (const Json& vector : vectors) {
    const Result<std::string> canonical = json::canonicalize(vector["input"].get<std::string>());

    if (vector["canonical"].is_null()) {
      EXPECT_FALSE(canonical) << vector["input"];
    } else {
      EXPECT_EQ(canonical.value_or("refused"), vector["canonical"].get<std::string>()) << vector["input"];
    }
  }
}

}  // namespace
}  // namespace semel::domain
