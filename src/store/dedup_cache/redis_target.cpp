#include "store/dedup_cache/redis_target.hpp"

#include <charconv>
#include <optional>

#include "base/bytes.hpp"

namespace semel::store {
namespace {

constexpr std::string_view scheme = "redis://";

tl::unexpected<Error> not_a_target(std::string_view why) {
  return bad_request("a dedup cache is redis://HOST, or redis://USER:PASSWORD@HOST:PORT/DATABASE: {}", why);
}

std::optional<int> number_of(std::string_view text, int min, int max) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < min || number > max) return std::nullopt;
  return number;
}

std::optional<std::string> without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0) return std::nullopt;
    plain += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
    i += 2;
  }
  return plain;
}

Result<void> read_user(RedisTarget& target, std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto user = without_escapes(text.substr(0, colon));
  const auto password = without_escapes(colon == std::string_view::npos ? "" : text.substr(colon + 1));
  if (!user || !password) return not_a_target("in USER:PASSWORD, a % is followed by two hexadecimal digits");
  if (!user->empty() && password->empty()) return not_a_target("a user needs a password");
  target.user = *user;
  target.password = *password;
  return {};
}

Result<void> read_place(RedisTarget& target, std::string_view text) {
  const std::size_t after_host = text.starts_with('[') ? text.find(']') : 0;
  if (after_host == std::string_view::npos) return not_a_target("a ] is missing");
  const std::size_t colon = text.find(':', after_host);
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return not_a_target("the host is missing");
  target.host = host;
  if (colon == std::string_view::npos) return {};
  const auto port = number_of(text.substr(colon + 1), 1, 65'535);
  if (!port) return not_a_target("the port must be from 1 to 65535");
  target.port = *port;
  return {};
}

}  // namespace

Result<RedisTarget> parse_redis(std::string_view url) {
  if (!url.starts_with(scheme)) return not_a_target("it must begin with redis://");
  RedisTarget target;
  std::string_view rest = url.substr(scheme.size());
  const std::size_t slash = rest.find('/', rest.rfind('@') == std::string_view::npos ? 0 : rest.rfind('@'));
  if (slash != std::string_view::npos && slash + 1 < rest.size()) {
    const auto database = number_of(rest.substr(slash + 1), 0, 1'000'000);
    if (!database) return not_a_target("DATABASE must be a number");
    target.database = *database;
  }
  rest = rest.substr(0, slash);
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    if (Result<void> read = read_user(target, rest.substr(0, at)); !read) return pass_on(read.error());
    rest.remove_prefix(at + 1);
  }
  if (Result<void> read = read_place(target, rest); !read) return pass_on(read.error());
  return target;
}

}  // namespace semel::store
