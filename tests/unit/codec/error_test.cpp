#include "api/codec/error.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "base/result.hpp"
#include "tests/support/places.hpp"

namespace semel::codec {
namespace {

/// Code and both statuses of each line of the table in docs/errors/README.md.
std::map<std::string, std::string> documented() {
  std::ifstream file(std::string(semel::test::places::sources) + "/docs/errors/README.md");
  const std::regex row(R"(^\| `([A-Z_]+)` \| (\d+ \| [A-Z_]+) \| [^|]+ \| [^|]+ \|$)");
  std::map<std::string, std::string> found;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, row)) found[match[1]] = match[2];
  }
  return found;
}

TEST(ErrorCode, HasTheNameAndStatusesThatTheDocumentationSays) {
  std::map<std::string, std::string> known;
  for (int code = 0; code <= static_cast<int>(ErrorCode::unavailable); ++code) {
    const auto each = static_cast<ErrorCode>(code);
    known[std::string(wire_name(each))] = fmt::format("{} | {}", http_status(each), name_of(grpc_status(each)));
  }

  EXPECT_EQ(known, documented());
  EXPECT_EQ(known.size(), static_cast<std::size_t>(ErrorCode::unavailable) + 1) << "every name is used once";
}

TEST(EncodeError, IsAnObjectWithCodeAndMessage) {
  EXPECT_EQ(encode_error({ErrorCode::bad_request, "a \"bad\"\nthing: é"}),
            R"({"error":{"code":"BAD_REQUEST","message":"a \"bad\"\nthing: é"}})");
}

TEST(EncodeError, ListsViolations) {
  EXPECT_EQ(encode_error({ErrorCode::invalid_context, "no", {{"/a~1b", "must be \"x\""}, {"", "must have 'a'"}}}),
            R"({"error":{"code":"INVALID_CONTEXT","message":"no","violations":[)"
            R"({"pointer":"/a~1b","message":"must be \"x\""},{"pointer":"","message":"must have 'a'"}]}})");
}

}  // namespace
}  // namespace semel::codec
