#include "cli/client/url.hpp"

#include "base/url.hpp"

namespace semel::cli {

std::string Url::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

Result<Url> parse_url(std::string_view text) {
  const std::size_t begin = text.find("//");
  if (begin != std::string_view::npos &&
      text.substr(begin + 2, text.find('/', begin + 2) - begin - 2).find('@') != std::string_view::npos)
    return bad_request("a url has no place for a password; give the API key with --key or SEMEL_KEY");
  Result<HttpUrl> parsed = parse_http_url(text);
  if (!parsed || parsed->target.find('?') != std::string::npos)
    return bad_request("'{}' is not a url such as http://127.0.0.1:7420", text);
  Url url{std::move(parsed->host), parsed->port, parsed->is_secure, std::move(parsed->target)};
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  return url;
}

}  // namespace semel::cli
