#pragma once
#include <nlohmann/json.hpp>
#include <string>

/// Tests are compiled without optimising, and JSON compiled so took a fifth of the time of a program that reads
/// many answers. What reads and writes it is compiled once for all of them, in json.cpp.
namespace semel::test::json_elsewhere {

using Json = nlohmann::json;
template <typename Letters>
using Input = nlohmann::detail::iterator_input_adapter<Letters>;
using InString = Input<std::string::const_iterator>;
using InText = Input<const char*>;

}  // namespace semel::test::json_elsewhere

// What follows is the same here and, without `extern`, in json.cpp.
#define SEMEL_JSON_TEMPLATES(prefix)                                                              \
  prefix template class nlohmann::basic_json<>;                                                   \
  prefix template class nlohmann::detail::serializer<semel::test::json_elsewhere::Json>;          \
  prefix template class nlohmann::detail::json_sax_dom_parser<semel::test::json_elsewhere::Json>; \
  prefix template class nlohmann::detail::lexer<semel::test::json_elsewhere::Json,                \
                                                semel::test::json_elsewhere::InString>;           \
  prefix template class nlohmann::detail::lexer<semel::test::json_elsewhere::Json,                \
                                                semel::test::json_elsewhere::InText>;             \
  prefix template class nlohmann::detail::parser<semel::test::json_elsewhere::Json,               \
                                                 semel::test::json_elsewhere::InString>;          \
  prefix template class nlohmann::detail::parser<semel::test::json_elsewhere::Json,               \
                                                 semel::test::json_elsewhere::InText>;

SEMEL_JSON_TEMPLATES(extern)
