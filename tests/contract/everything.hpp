#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/contract/random_commands.hpp"
#include "tests/support/describe.hpp"

namespace semel::test {

inline std::vector<StoredDispatch> dispatches_of(Store& store, const std::string& tenant, domain::ExecutionId id) {
  DispatchQuery query;
  query.tenant = tenant;
  query.execution_id = id;
  return store.dispatches(query);
}

inline DispatchQuery open_dispatches(const std::string& tenant) {
  DispatchQuery query;
  query.tenant = tenant;
  return query;
}

/// Whether what belongs to an execution is also looked for where the execution is not. Most ids are another tenant's,
/// and some are gone: it is much work to see nothing.
enum class Details { of_its_tenant, of_everyone };

/// All that can be seen of a store after random commands, as text: to be compared with another's.
inline std::string everything(Store& store, const RandomCommands& random, Details details) {
  std::string text = "next timer " + describe(store.next_timer()) + "\n";
  const std::set<domain::ExecutionId> ids(random.executions().begin(), random.executions().end());
  for (const std::string& tenant : random.tenants()) {
    for (const domain::ExecutionId id : ids) {
      const std::string found = describe(store.find(tenant, id)) + " " + describe(store.find_tombstone(tenant, id));
      text += found + "\n";
      if (details == Details::of_its_tenant && found == "- -") continue;
      text += describe_all(store.attempts(tenant, id)) + describe(store.duplicates(tenant, id)) + "\n" +
              describe_all(dispatches_of(store, tenant, id));
    }
    for (const Hash32& hash : random.hashes()) text += describe(store.find_holder(tenant, hash)) + "\n";
  }
  text += describe_all(store.dispatch_depths()) + "next dispatch " + describe(store.next_dispatch()) + "\n";
  for (const std::string& tenant : random.tenants()) text += describe_all(store.dispatches(open_dispatches(tenant)));
  text += describe_all(store.queue_depths()) + describe_all(store.queues());
  for (const std::string& tenant : random.tenants()) text += describe_all(store.schedules(tenant, "", 10));
  text += "next schedule " + describe(store.next_schedule()) + "\n";
  std::vector<std::string> templates;
  for (const StoredTemplate& stored : store.templates()) templates.push_back(describe(stored));
  std::sort(templates.begin(), templates.end());
  for (const std::string& one : templates) text += one + "\n";
  return text;
}

}  // namespace semel::test
