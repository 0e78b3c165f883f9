#pragma once

namespace semel::sdk {

/// Thrown through the code of a workflow that shall not go on: it continues as new, or does not fit its history. It is
/// no std::exception, so that handlers for those let it pass; whoever catches it all the same is not resumed any more.
struct Abandoned {};

}  // namespace semel::sdk
