#include "api/codec/yaml_json.hpp"

#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "base/json/reader.hpp"
#include "base/json/text.hpp"
#include "base/utf8.hpp"

namespace semel::codec {
namespace {

constexpr int depth_max = 32;
constexpr std::size_t bytes_max = 1 << 20;
// In JSON, with quotes and escapes: the parser, which reads stored templates too, takes no longer one for a key.
constexpr std::size_t key_bytes_max = 1024;

tl::unexpected<Error> at_line(const YAML::Node& node, std::string_view what) {
  return refuse(ErrorCode::invalid_template, "line {}: {}", node.Mark().line + 1, what);
}

bool is_plain_literal(const std::string& text) {
  if (text == "true" || text == "false") return true;
  if (text.empty() || (text.front() != '-' && (text.front() < '0' || text.front() > '9'))) return false;
  return json::check_grammar(text).has_value();  // a number as JSON writes it
}

class Converter {
 public:
  Result<void> convert(const YAML::Node& node, int depth) {
    if (depth > depth_max) return at_line(node, "the document is nested too deeply");
    if (out_.size() > bytes_max) return at_line(node, "the document is too large");
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null: out_ += "null"; return {};
      case YAML::NodeType::Scalar: return scalar(node);
      case YAML::NodeType::Sequence: return sequence(node, depth);
      case YAML::NodeType::Map: break;
    }
    return map(node, depth);
  }

  std::string take() { return std::move(out_); }

 private:
  Result<void> scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    if (!is_utf8(text)) return at_line(node, "the text is not valid UTF-8");
    const bool quoted = node.Tag() == "!";
    if (!quoted && is_plain_literal(text)) out_ += text;
    else json::append_string(text, out_);
    return {};
  }

  Result<void> sequence(const YAML::Node& node, int depth) {
    out_ += '[';
    for (std::size_t i = 0; i < node.size(); ++i) {
      if (i > 0) out_ += ',';
      if (Result<void> element = convert(node[i], depth + 1); !element) return element;
    }
    out_ += ']';
    return {};
  }

  Result<void> map(const YAML::Node& node, int depth) {
    out_ += '{';
    std::set<std::string> seen;
    for (const auto& member : node) {
      if (!member.first.IsScalar() || !is_utf8(member.first.Scalar()))
        return at_line(node, "a key must be a plain text");
      if (!seen.insert(member.first.Scalar()).second) {
        return at_line(member.first, fmt::format("'{}' is given twice", member.first.Scalar()));
      }
      if (seen.size() > 1) out_ += ',';
      const std::size_t key = out_.size();
      json::append_string(member.first.Scalar(), out_);
      if (out_.size() - key > key_bytes_max)
        return at_line(member.first, fmt::format("a key is longer than {} bytes", key_bytes_max));
      out_ += ':';
      if (Result<void> value = convert(member.second, depth + 1); !value) return value;
    }
    out_ += '}';
    return {};
  }

  std::string out_;
};

Result<void> check_readable(std::string_view text) {
  int line = 1;
  for (std::string_view left = text; !left.empty();) {
    const std::size_t length = utf8_length(left);
    const char first = left.front();
    if (length == 0) return refuse(ErrorCode::invalid_template, "line {}: the text is not valid UTF-8", line);
    const bool is_control = static_cast<unsigned char>(first) < 0x20 && first != '\t' && first != '\n' && first != '\r';
    if (is_control) return refuse(ErrorCode::invalid_template, "line {}: the text has a control character", line);
    line += first == '\n' ? 1 : 0;
    left.remove_prefix(length);
  }
  return {};
}

/// Hears where documents begin, and nothing else.
class DocumentStarts final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { last = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  YAML::Mark last;
};

/// Asks for two documents at most: of some texts the parser finds documents without end.
std::optional<int> line_of_second_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  if (!parser.HandleNextDocument(starts) || !parser.HandleNextDocument(starts)) return std::nullopt;
  return starts.last.line + 1;
}

/// With the mark of YAML for the end of a document. Without it, the parser takes a text whose quotes are still open at
/// the end, such as a file that was cut off.
std::string with_an_end(std::string_view text) {
  std::string ended(text);
  if (!ended.empty() && ended.back() != '\n') ended += '\n';
  return ended + "...\n";
}

/// The parser says of a tab only that something else was expected there.
bool is_indented_by_tab(std::string_view text, int line) {
  for (; line > 0; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
}

}  // namespace

Result<YAML::Node> load_yaml(std::string_view text) {
  if (Result<void> readable = check_readable(text); !readable) return pass_on(readable.error());
  const std::string owned = with_an_end(text);
  try {
    if (const auto second = line_of_second_document(owned))
      return refuse(ErrorCode::invalid_template, "line {}: a template must be one YAML document; this has more",
                    *second);
    return YAML::Load(owned);
  } catch (const YAML::Exception& exception) {
    return refuse(ErrorCode::invalid_template, "line {}: {}", exception.mark.line + 1,
                  is_indented_by_tab(text, exception.mark.line) ? "YAML is indented by spaces; this line has a tab"
                                                                : exception.msg);
  }
}

Result<std::string> yaml_to_json(const YAML::Node& root) {
  Converter converter;
  if (Result<void> converted = converter.convert(root, 0); !converted) return pass_on(converted.error());
  return converter.take();
}

}  // namespace semel::codec
