// Instead of the dashboard, in a build without it.
#include "api/http/asset.hpp"

namespace semel::http {

std::span<const Asset> dashboard_assets() { return {}; }

}  // namespace semel::http
