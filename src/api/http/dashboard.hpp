#pragma once
#include <string_view>

#include "api/http/transport/message.hpp"

namespace semel::http {

/// Whether the dashboard is meant: / itself, and all below /ui, where no route of the API is.
bool is_of_dashboard(std::string_view path);

/// A file of the dashboard. Every other address is one of its pages, which all are the same file: what is shown there
/// is decided in the browser.
Response answer_dashboard(const Request& request);

}  // namespace semel::http
