#pragma once
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "engine/engine.hpp"

/// What every interface refuses of a question, in the same words.
namespace semel::codec {

/// Waits for results end after engine::limits::wait_max.
Result<void> check_wait(Duration wait);

Result<void> check_key_query(const engine::Engine::KeyQuery& query);

/// How many a page has: 1 to 1,000, 100 when nothing is said.
Result<std::size_t> page_limit(std::optional<std::int64_t> said);

/// The id that a path or a message names, or a refusal that says what it should be.
template <typename Id>
Result<Id> parse_id(std::string_view text);

Result<Hash32> parse_identity_hash(std::string_view text);

}  // namespace semel::codec
