#pragma once
#include <string>

namespace semel::codec::test {

/// What is sent, and what the sender is told.
struct Case {
  std::string sent;
  std::string refusal;
};

}  // namespace semel::codec::test
