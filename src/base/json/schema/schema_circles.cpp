#include "base/json/schema/schema_compiler.hpp"

namespace semel::json {
namespace {

/// The schemas that are tried on the very value that this one is tried on.
std::vector<std::size_t> tried_on_the_same(const SchemaNode& node) {
  std::vector<std::size_t> next;
  for (const auto* list : {&node.all_of, &node.any_of, &node.one_of})
    next.insert(next.end(), list->begin(), list->end());
  for (const auto& one : {node.ref, node.not_, node.if_, node.then_, node.else_}) {
    if (one) next.push_back(*one);
  }
  for (const auto& [name, schema] : node.fits_with) next.push_back(schema);
  return next;
}

}  // namespace

/// A circle that comes back to a schema without going into the value would never end. Steps are taken away as long as
/// all that they lead to is gone; what is left lies on a circle, or leads to one.
bool SchemaCompiler::circles_are_absent() {
  std::vector<std::vector<std::size_t>> before(nodes_.size());
  std::vector<std::size_t> left(nodes_.size());
  std::vector<std::size_t> done;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::vector<std::size_t> next = tried_on_the_same(nodes_[i]);
    left[i] = next.size();
    for (const std::size_t each : next) before[each].push_back(i);
    if (next.empty()) done.push_back(i);
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    for (const std::size_t each : before[done[i]]) {
      if (--left[each] == 0) done.push_back(each);
    }
  }
  if (done.size() == nodes_.size()) return true;
  for (const auto& [pointer, node] : by_pointer_) {
    if (left[node] > 0) return fail(pointer, "the references go round in a circle");
  }
  return true;
}

}  // namespace semel::json
