#pragma once
#include <string>

namespace semel::connected {

/// Which server, and how it is spoken to. What messages say about either is derived from it.
struct Address {
  std::string target{};  // "localhost:7421"
  bool tls = false;
};

}  // namespace semel::connected
