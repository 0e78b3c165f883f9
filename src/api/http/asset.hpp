#pragma once
#include <span>
#include <string_view>

namespace semel::http {

/// A file of the dashboard, as the build has put it into the binary.
struct Asset {
  std::string_view path;  // "/ui/assets/index-4f2a.js"
  std::string_view content_type;
  std::string_view etag;  // with its quotes
  std::string_view plain;
  std::string_view gzip;      // empty where it would not be smaller
  bool is_immutable = false;  // its name changes with its content
};

/// All of them; none in a build without the dashboard. Written by dashboard/pack.mjs.
std::span<const Asset> dashboard_assets();

}  // namespace semel::http
