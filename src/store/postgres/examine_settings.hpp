#pragma once
#include <map>
#include <string>

#include "store/common/finding.hpp"
#include "store/postgres/connection.hpp"

namespace semel::store::postgres {

/// A setting as a server's session has it, and as it would be if Semel said nothing.
struct ServerSetting {
  std::string here;
  std::string usual;
};
/// By their names. One that this PostgreSQL does not know is not there.
using ServerSettings = std::map<std::string, ServerSetting>;

ServerSettings read_settings(Connection& connection);

/// What each of them means for what was acknowledged, and for servers.
void judge_settings(const ServerSettings& settings, Findings& findings);

}  // namespace semel::store::postgres
