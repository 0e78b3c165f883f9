#pragma once
#include <string_view>

namespace semel::http {

/// Whether the Accept-Encoding of a request allows gzip: "gzip, br", "gzip;q=0.5", "*"; not "gzip;q=0", "identity", "".
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace semel::http
