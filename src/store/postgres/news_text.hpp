#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/news.hpp"

namespace semel::store::postgres {

/// How servers tell each other their news: texts for NOTIFY, which takes less than 8,000 bytes at a time. Names hold no
/// space (domain/names.hpp), so words need no quotes:
///
///   1 SERVER MILLISECONDS                      who tells it, and when it was decided
///   s TENANT QUEUE HANDLER [NAMESPACE NAME]    a subject; they are counted from 0
///   c SUBJECT ID STATE ATTEMPT FLAGS TIMER     a change; flags are the sum of 1 new, 2 took over, 4 ready; no timer: -
///   r TENANT QUEUE HANDLER                     ready
///   templates | queues | keys | schedules      have changed
///   missed                                     something that is not told
///
/// A line that a newer server invents is passed over.
inline constexpr std::size_t news_bytes_max = 7'900;

/// As few texts as hold all of it; none when there is nothing to tell.
std::vector<std::string> encode_news(std::string_view server, const News& news);

struct ReceivedNews {
  std::string server;
  News news;
};
/// Nothing when it is not such a text.
std::optional<ReceivedNews> decode_news(std::string_view text);

}  // namespace semel::store::postgres
