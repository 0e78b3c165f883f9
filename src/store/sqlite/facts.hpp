#pragma once
#include <cstdint>
#include <string_view>

#include "store/sqlite/connection.hpp"

namespace semel::store::sqlite {

namespace fact {
inline constexpr std::string_view last_time = "last_time";                    // so that time never goes backwards
inline constexpr std::string_view last_seq = "last_seq";                      // so that no seq is given twice
inline constexpr std::string_view identity_watermark = "identity_watermark";  // identities up to this seq are merged
}  // namespace fact

/// Zero when it was never written.
std::int64_t read_fact(Connection& connection, std::string_view name);
void write_fact(Connection& connection, std::string_view name, std::int64_t value);

}  // namespace semel::store::sqlite
