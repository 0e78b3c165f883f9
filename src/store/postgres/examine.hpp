#pragma once
#include <string>

#include "ports/clock.hpp"
#include "store/common/finding.hpp"
#include "store/postgres/connection.hpp"

/// What can be said of a database from outside, beside its servers or without them. Nothing is changed.
namespace semel::store::postgres {

/// All of the following. `clock` is this machine's. Never throws: a database that cannot be reached is a finding.
Findings examine(const std::string& target, const Clock& clock);

/// Which version it is, whether it takes changes, and whether it is the same session from one statement to the next.
/// False when there is no use in asking further.
bool examine_server(Connection& connection, const std::string& target, Findings& findings);
/// How far its clock is from this machine's.
void examine_clock(Connection& connection, const Clock& clock, Findings& findings);

/// Whether the schema is there, is the one that this binary needs, and may be used. False when there is none to look
/// into.
bool examine_schema(Connection& connection, Findings& findings);
/// Whether all indexes are there that migrations have made, and are valid.
void examine_indexes(Connection& connection, Findings& findings);

/// Who uses it: servers, their leader, connections, and transactions that have been open for so long that they are odd.
void examine_activity(Connection& connection, Findings& findings, Duration old = 10min);
/// Whether vacuum keeps up.
void examine_tables(Connection& connection, Findings& findings);

/// Whether what has closed is put away, and goes when its time has come.
void examine_partitions(Connection& connection, Findings& findings);

/// Whether rows agree with each other. Reads all of them.
void examine_content(Connection& connection, Findings& findings);

}  // namespace semel::store::postgres
