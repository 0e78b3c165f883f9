#pragma once

namespace semel::test {

/// A port of 127.0.0.1 that nobody listens on just now. Somebody else may take it before it is used.
int free_port();

}  // namespace semel::test
