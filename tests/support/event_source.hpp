#pragma once
#include <sstream>
#include <string>

#include "tests/support/http_client.hpp"

namespace semel::test {

/// One block of a stream of server-sent events.
struct StreamedEvent {
  std::string id{};
  std::string type{};
  std::string data{};

  Json json() const { return Json::parse(data, nullptr, false); }
};

/// Follows a stream as a browser does.
class EventSource {
 public:
  EventSource(HttpClient client, const HttpRequest& request) : client_(std::move(client)) {
    client_.send(request);
    head_ = client_.read(false);
  }

  const HttpAnswer& head() const { return head_; }

  /// The next event; comments and blocks without data are passed by, but their id is kept.
  StreamedEvent next() {
    while (true) {
      std::size_t end = 0;
      while ((end = text_.find("\n\n")) == std::string::npos) {
        if (!read_chunk()) return {last_id_, "end", ""};
      }
      const StreamedEvent event = parse(text_.substr(0, end + 1));
      text_.erase(0, end + 2);
      if (!event.data.empty()) return event;
    }
  }
  const std::string& last_id() const { return last_id_; }
  HttpClient& client() { return client_; }

 private:
  bool read_chunk() {
    const std::size_t size = std::stoul(client_.read_until("\r\n"), nullptr, 16);
    std::string chunk;
    while (chunk.size() < size) chunk += client_.read_until("\n") + "\n";  // every piece ends with a line
    client_.read_until("\r\n");
    text_ += chunk;
    return size > 0;
  }

  StreamedEvent parse(const std::string& block) {
    StreamedEvent event;
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("id: ")) last_id_ = line.substr(4);
      if (line.starts_with("event: ")) event.type = line.substr(7);
      if (line.starts_with("data: ")) event.data = line.substr(6);
    }
    event.id = last_id_;
    return event;
  }

  HttpClient client_;
  HttpAnswer head_;
  std::string text_;
  std::string last_id_;
};

}  // namespace semel::test
