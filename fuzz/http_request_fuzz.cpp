// Reads the input as the bytes of a connection, once in one piece and twice in small ones: the requests and refusals
// must be the same, whatever the pieces; only where a head is not whole, one may refuse what another still waits for.
// What passes the checks must be a request that the application can take.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/transport/head_check.hpp"
#include "api/http/transport/request_reader.hpp"
#include "base/ensure.hpp"

namespace {

using semel::ensure;
namespace http = semel::http;

constexpr std::size_t header_bytes_max = 1'024;
constexpr std::size_t body_bytes_max = 256;

void check_request(const http::Request& request) {
  ensure(!request.method.empty());
  ensure(request.path.starts_with('/'));
  ensure(request.content_type.find(';') == std::string::npos);
  for (const auto& [name, value] : request.query) ensure(name.size() + value.size() <= header_bytes_max);
}

/// One connection, up to the first refusal.
class Connection {
 public:
  Connection() { reader_.begin(); }

  void take(std::string_view piece) {
    pending_.append(piece);
    std::string_view bytes = pending_;
    while (!is_over_ && step(bytes)) {
    }
    pending_.erase(0, pending_.size() - bytes.size());
  }
  const std::vector<std::string>& seen() const { return seen_; }

 private:
  bool step(std::string_view& bytes) {
    if (at_begin_) bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
    if (bytes.empty()) return false;
    at_begin_ = false;
    switch (reader_.feed(bytes)) {
      case http::RequestReader::Event::more: return false;
      case http::RequestReader::Event::head: on_head(); return true;
      case http::RequestReader::Event::complete:
        ensure(reader_.body().size() <= body_bytes_max);
        seen_.push_back("body " + reader_.body());
        reader_.begin();
        at_begin_ = true;
        return true;
      case http::RequestReader::Event::refused: refuse(reader_.refusal().message); return false;
    }
    return false;
  }

  void on_head() {
    http::Head& head = reader_.head();
    seen_.push_back(head.method + " " + head.target + (reader_.keeps_alive() ? " keep" : " close"));
    if (const auto refusal = check_head(head, origins_)) return refuse(refusal->message);
    semel::Result<http::Request> request = to_request(std::move(head));
    if (!request) return refuse(request.error().message);
    check_request(*request);
    if (!reader_.limit_body(body_bytes_max)) refuse("too large");
  }
  void refuse(const std::string& why) {
    seen_.push_back("refused: " + why);
    is_over_ = true;
  }

  const http::OriginPolicy origins_{true, "127.0.0.1"};
  http::RequestReader reader_{header_bytes_max};
  std::string pending_;
  bool at_begin_ = true;
  bool is_over_ = false;
  std::vector<std::string> seen_;
};

std::vector<std::string> read_in_pieces(std::string_view bytes, std::size_t size) {
  Connection connection;
  for (std::size_t at = 0; at < bytes.size(); at += size) connection.take(bytes.substr(at, size));
  return connection.seen();
}

/// One is what the other begins with, and at most the last refusal is more.
bool agree(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  const auto& longer = left.size() > right.size() ? left : right;
  const auto& shorter = left.size() > right.size() ? right : left;
  if (longer.size() > shorter.size() + 1) return false;
  if (longer.size() > shorter.size() && !longer.back().starts_with("refused: ")) return false;
  // A head with two faults is refused for the one that is seen first.
  const auto is_same = [](const std::string& one, const std::string& other) {
    return one == other || (one.starts_with("refused: ") && other.starts_with("refused: "));
  };
  return std::equal(shorter.begin(), shorter.end(), longer.begin(), is_same);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty()) return 0;
  const std::vector<std::string> whole = read_in_pieces(bytes, bytes.size());
  ensure(agree(read_in_pieces(bytes, 1), whole));
  ensure(agree(read_in_pieces(bytes, 7), whole));
  return 0;
}
