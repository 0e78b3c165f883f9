#include "api/http/transport/outbox.hpp"

#include <algorithm>
#include <utility>

namespace semel::http {
namespace {

constexpr std::size_t copied_bytes_max = 4096;  // copying this much is cheaper than a second piece

}  // namespace

void Outbox::load(Response response, const ResponseFrame& frame) {
  clear();
  write_head(response, frame, head_);
  if (!sends_body(response, frame)) return;
  if (response.body.size() <= copied_bytes_max) {
    head_.append(response.body);
  } else {
    body_ = std::move(response.body);
  }
}

void Outbox::load(std::string text) {
  clear();
  head_ = std::move(text);
}

std::string_view Outbox::first() const { return std::string_view(head_).substr(std::min(written_, head_.size())); }

std::string_view Outbox::second() const {
  return std::string_view(body_).substr(written_ - std::min(written_, head_.size()));
}

void Outbox::clear() {
  head_.clear();
  body_ = std::string();
  written_ = 0;
}

}  // namespace semel::http
