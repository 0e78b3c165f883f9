#include "base/json/schema/schema.hpp"

#include "base/json/schema/schema_checker.hpp"
#include "base/json/schema/schema_compiler.hpp"

namespace semel::json {

tl::expected<Schema, Schema::Fault> Schema::compile(std::string_view canonical) {
  auto nodes = SchemaCompiler(canonical).compile();
  if (!nodes) return tl::unexpected(std::move(nodes.error()));
  Schema schema;
  schema.nodes_ = std::make_shared<const std::vector<SchemaNode>>(*std::move(nodes));
  return schema;
}

std::vector<Violation> Schema::check(std::string_view canonical, std::size_t max) const {
  return SchemaChecker(*nodes_, max).check(canonical);
}

}  // namespace semel::json
