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

/// What a handler is called that is asked for: of workflows that are written as code, it is their kind.
void name_handler(ListQuery& query);

/// A text to look for in contexts, everywhere or where a JSON Pointer leads; nothing when neither is said.
Result<std::optional<ContextSearch>> context_search(const std::optional<std::string>& path,
                                                    const std::optional<std::string>& text);

/// The id that a path or a message names, or a refusal that says what it should be.
template <typename Id>
Result<Id> parse_id(std::string_view text);

Result<Hash32> parse_identity_hash(std::string_view text);

}  // namespace semel::codec
