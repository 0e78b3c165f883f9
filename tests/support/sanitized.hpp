#pragma once

namespace semel::test {

/// Sanitizers make everything several times slower: tests that repeat themselves do it less often there.
#ifdef SEMEL_SANITIZED  // by cmake/toolchain.cmake
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace semel::test
