#pragma once
#include <string>
#include <string_view>

namespace semel::domain {

/// The two names of one dispatch: readable inside, hashed for targets with naming rules.
struct DispatchIds {
  std::string internal;  // dispatch:{run_id}:{task_key}:{attempt}
  std::string external;  // d_ + 26 characters of base32
};

/// Parts that contain ':' or '%' are percent-escaped first, so that no two dispatches share a name.
DispatchIds dispatch_ids(std::string_view run_id, std::string_view task_key, int attempt);

/// `prefix` + the first 26 characters of lower-case RFC 4648 base32 of SHA-256(internal).
std::string external_id(std::string_view prefix, std::string_view internal);

}  // namespace semel::domain
