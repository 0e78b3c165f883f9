#include "http_client/words.hpp"

#include <fmt/format.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <charconv>

namespace semel::http_client {

namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

bool is_end(const boost::system::error_code& code) {
  return code == beast::http::error::end_of_stream || code == beast::http::error::partial_message ||
         code == asio::error::eof || code == asio::error::connection_reset || code == asio::error::broken_pipe ||
         code == asio::ssl::error::stream_truncated;
}

Failure with(Failure::Kind kind, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.message = std::move(message);
  return failure;
}

}  // namespace

Failure failure_of(const boost::system::error_code& code) {
  using Kind = Failure::Kind;
  if (code == beast::error::timeout) return with(Kind::timeout, "it does not answer in time");
  if (code == beast::http::error::end_of_stream)
    return with(Kind::closed, "it closed the connection without an answer");
  if (is_end(code)) return with(Kind::closed, code.message());
  if (code == beast::http::error::body_limit) return with(Kind::too_large, "its answer is too large");
  if (code.category() == asio::error::get_ssl_category()) return with(Kind::certificate, code.message());
  return with(Kind::other, code.message());
}

Failure forbidden(const std::vector<IpAddress>& addresses) {
  std::string list;
  for (const IpAddress& address : addresses) {
    if (!list.empty()) list += ", ";
    list += fmt::format("{} ({})", address.text(), name_of(reach_of(address)));
  }
  return with(Failure::Kind::forbidden_address, fmt::format("its address may not be connected to: {}", list));
}

std::optional<Duration> read_retry_after(std::string_view text) {
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds{seconds};
}

}  // namespace semel::http_client
