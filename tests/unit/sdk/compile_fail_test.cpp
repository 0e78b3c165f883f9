#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>

#include "semel/semel.hpp"
#include "tests/support/places.hpp"

namespace semel {
namespace {

/// What the compiler that compiles these tests says of a file.
std::string compiler_output(const std::string& file) {
  const std::string root = semel::test::places::sources;
  const std::string command =
      std::string(SEMEL_COMPILER) + " -std=c++20 -fsyntax-only -I" + root + "/include " + file + " 2>&1";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::string output;
  std::array<char, 4096> bytes{};
  while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe.get()))
    output.append(bytes.data(), size);
  return output;
}

/// The messages that name a line: each begins with an error and ends before the next; templates name the line in a note
/// before it (g++) or after it (clang).
bool is_refused(const std::vector<std::string>& messages, const std::string& place, const std::string& text) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].find(place) == std::string::npos) continue;
    for (std::size_t j = i > 4 ? i - 4 : 0; j < std::min(i + 6, messages.size()); ++j) {
      if (messages[j].find("error") != std::string::npos && messages[j].find(text) != std::string::npos) return true;
    }
  }
  return false;
}

std::vector<std::string> lines_of(std::istream&& stream) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(CompileFail, WhatBreaksUnderGcc12DoesNotCompileAnywhere) {
  const std::string file = std::string(semel::test::places::sources) + "/tests/compile_fail/sdk.cpp";
  const std::string output = compiler_output(file);
  std::vector<std::string> messages = lines_of(std::istringstream(output));
  std::erase_if(messages,
                [](const std::string& line) { return line.starts_with(' '); });  // what is quoted of the source
  const std::vector<std::string> lines = lines_of(std::ifstream(file));
  int expectations = 0;

  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t mark = lines[i].find("// expect: ");
    if (mark == std::string::npos) continue;
    ++expectations;
    const std::string place = "sdk.cpp:" + std::to_string(i + 1) + ":";
    EXPECT_TRUE(is_refused(messages, place, lines[i].substr(mark + 11))) << place << " of\n" << output;
  }

  EXPECT_EQ(expectations, 15);
}

}  // namespace
}  // namespace semel
