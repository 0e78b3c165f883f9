// Reads the input as a template in YAML. What is accepted must read back, as JSON, to the same document: else a restart
// of the server would make another template of it, or refuse to start.
#include <cstdint>
#include <string_view>

#include "api/codec/template_document.hpp"
#include "base/ensure.hpp"
#include "domain/workflow/graph.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using semel::ensure;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = semel::codec::decode_template_yaml(text);
  if (!read) {
    ensure(!read.error().message.empty());
    return 0;
  }
  const auto again = semel::codec::decode_template_json(read->document);
  ensure(again.has_value());
  ensure(again->document == read->document);
  ensure(again->steps == read->steps && again->input_schema.has_value() == read->input_schema.has_value());
  const semel::domain::Graph graph(read->steps);  // stops where the steps do not fit together
  if (read->input_schema) static_cast<void>(read->input_schema->check(read->document, 20));
  ensure(again->namespace_ == read->namespace_ && again->name == read->name && again->version == read->version);
  return 0;
}
