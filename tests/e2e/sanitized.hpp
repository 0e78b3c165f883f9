#pragma once

namespace semel::test {

/// Sanitizers make everything several times slower: tests that repeat themselves do it less often there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

}  // namespace semel::test
