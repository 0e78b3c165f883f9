// Compares canonicalize() with nlohmann's parser and with itself. The two must accept the same texts, except
// that
// - nlohmann skips a byte order mark and takes a NUL byte outside strings for the end of the text,
// - nlohmann refuses numbers that overflow a double,
// - canonicalize() refuses duplicate keys, deep nesting, long numbers and huge exponents.
// Each of these is judged here on its own, from nlohmann's events.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ensure.hpp"
#include "base/json/canonical.hpp"
#include "base/json/diff.hpp"
#include "base/json/reader.hpp"

namespace {

using semel::ensure;
namespace json = semel::json;

/// Whether the exponent of a number, once normalised, is within the limit. Written unlike the code under
/// test: it counts places instead of keeping digits.
bool exponent_fits(const std::string& token) {
  const std::size_t e = std::min(token.find_first_of("eE"), token.size());
  const std::string mantissa = token.substr(0, e);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string::npos) return true;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const auto places = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  std::int64_t exponent = places > 0 ? places - 1 : places;
  if (e < token.size()) {
    try {
      exponent += std::stoll(token.substr(e + 1));
    } catch (const std::out_of_range&) {
      return false;
    }
  }
  return std::abs(exponent) <= json::limits::exponent_max;
}

/// Looks for what canonicalize() refuses beyond grammar.
class Judge : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool beyond_limits = false;
  bool overflow = false;  // nlohmann stopped at a number that no double holds

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string& token) override {
    beyond_limits |= token.size() > json::limits::number_chars_max || !exponent_fits(token);
    return true;
  }
  bool string(std::string&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(std::string& key) override {
    beyond_limits |= !open_.back().insert(key).second;
    return true;
  }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    overflow = error.id == 406;
    return false;
  }

 private:
  bool open() {
    open_.emplace_back();
    beyond_limits |= open_.size() > static_cast<std::size_t>(json::limits::depth_max);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> open_;  // the keys seen so far in each open object; none in an array
};

void compare_with_nlohmann(std::string_view text, const semel::Result<std::string>& canonical) {
  const bool read_otherwise = text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos;
  if (read_otherwise) {
    ensure(!canonical && !json::check_grammar(text));
    return;
  }
  Judge judge;
  const bool accepted = nlohmann::json::sax_parse(text, &judge);
  if (judge.overflow) return;  // what comes after the number is not known
  ensure(canonical.has_value() == (accepted && !judge.beyond_limits));
  ensure(!accepted || json::check_grammar(text).has_value());
  // nlohmann rounds numbers to doubles, but equal values round to equal doubles.
  if (canonical && accepted) ensure(nlohmann::json::parse(text) == nlohmann::json::parse(*canonical));
}

void compare_with_itself(std::string_view text, const semel::Result<std::string>& canonical) {
  json::Reader reader(text);
  std::string appended;
  const bool read = reader.read_canonical(appended).has_value() && reader.expect_end().has_value();
  ensure(read == canonical.has_value());

  json::Reader raw_reader(text);
  const bool raw = raw_reader.read_raw().has_value() && raw_reader.expect_end().has_value();
  ensure(raw == json::check_grammar(text).has_value());
  if (!canonical) return;

  ensure(raw);
  ensure(appended == *canonical);
  const semel::Result<std::string> again = json::canonicalize(*canonical);
  ensure(again.has_value() && *again == *canonical);
  ensure(json::diff(*canonical, *again, 1).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const semel::Result<std::string> canonical = json::canonicalize(text);
  compare_with_nlohmann(text, canonical);
  compare_with_itself(text, canonical);
  return 0;
}
