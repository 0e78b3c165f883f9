#include "api/http/dashboard.hpp"

#include <algorithm>

#include "api/codec/answers.hpp"
#include "api/http/asset.hpp"

namespace semel::http {
namespace {

constexpr std::string_view first_page = "/ui/index.html";
constexpr std::string_view files = "/ui/assets/";

// Nothing but what this server sends itself: no script or style in the page, no other host, no frame around it.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const Asset* find_asset(std::string_view path) {
  const std::span<const Asset> all = dashboard_assets();
  const auto found = std::ranges::find(all, path, &Asset::path);
  return found == all.end() ? nullptr : &*found;
}

/// A list of tags, or "*". A weak tag is as good here: what is compared is the same file.
bool knows(std::string_view if_none_match, std::string_view etag) {
  return if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos;
}

void add_headers(Response& response, const Asset& asset) {
  const std::string_view caching = asset.is_immutable ? "public, max-age=31536000, immutable" : "no-cache";
  response.headers = {{"ETag", std::string(asset.etag)},
                      {"Cache-Control", std::string(caching)},
                      {"Vary", "Accept-Encoding"},
                      {"Content-Security-Policy", std::string(content_policy)},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Referrer-Policy", "no-referrer"},
                      {"X-Frame-Options", "DENY"}};
}

Response send_asset(const Asset& asset, const Request& request) {
  Response response;
  add_headers(response, asset);
  if (knows(request.if_none_match, asset.etag)) {
    response.status = 304;
    return response;
  }
  const bool is_packed = request.accepts_gzip && !asset.gzip.empty();
  if (is_packed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = is_packed ? asset.gzip : asset.plain;
  response.content_type = asset.content_type;
  return response;
}

Response nothing_there(std::string message) {
  codec::Encoded refusal = codec::encode_refusal({ErrorCode::not_found, std::move(message)});
  return {refusal.status, std::move(refusal.body), "application/json", {}};
}

}  // namespace

bool is_of_dashboard(std::string_view path) { return path == "/" || path == "/ui" || path.starts_with("/ui/"); }

Response answer_dashboard(const Request& request) {
  if (const Asset* asset = find_asset(request.path)) return send_asset(*asset, request);
  if (request.path.starts_with(files)) return nothing_there("the dashboard has no such file; load the page again");
  if (const Asset* page = find_asset(first_page)) return send_asset(*page, request);
  return nothing_there(
      "this server was built without the dashboard (SEMEL_DASHBOARD=OFF); GET /openapi.json lists all paths");
}

}  // namespace semel::http
