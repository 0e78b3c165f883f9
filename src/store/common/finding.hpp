#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace semel::store {

/// One thing that was looked at, and how it is: well; worth a look; or wrong, with what to do.
struct Finding {
  enum class Verdict : std::uint8_t { ok, warn, fail };

  Verdict verdict = Verdict::ok;
  std::string what;   // "schema"
  std::string found;  // "version 3"

  bool operator==(const Finding&) const = default;
};

/// What a look at a store has found, in order.
class Findings {
 public:
  void ok(std::string what, std::string found) { add(Finding::Verdict::ok, std::move(what), std::move(found)); }
  void warn(std::string what, std::string found) { add(Finding::Verdict::warn, std::move(what), std::move(found)); }
  void fail(std::string what, std::string found) { add(Finding::Verdict::fail, std::move(what), std::move(found)); }

  void add(Finding finding) { all_.push_back(std::move(finding)); }

  const std::vector<Finding>& all() const& { return all_; }
  std::vector<Finding> all() && { return std::move(all_); }  // of a temporary, which would be gone

 private:
  void add(Finding::Verdict verdict, std::string what, std::string found) {
    all_.push_back({verdict, std::move(what), std::move(found)});
  }

  std::vector<Finding> all_;
};

}  // namespace semel::store
