#pragma once
#include <string>
#include <string_view>

namespace semel::cli::work {

/// The last of what a handler has written, for the message of its failure.
class Tail {
 public:
  static constexpr std::size_t bytes_max = 4'000;

  void add(std::string_view bytes);

  /// At most `bytes_max` bytes as well-formed UTF-8: what is not gets U+FFFD in its place. Begins with a whole line, if
  /// there is more than one, and has no end of line at its end.
  std::string text() const;

 private:
  std::string kept_;
  bool is_cut_ = false;  // there was more before it
};

}  // namespace semel::cli::work
