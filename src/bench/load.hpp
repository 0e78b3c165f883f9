#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace semel::bench {

/// Does nothing for so long, where a measurement is of something that was at rest.
void rest(Duration time);

/// To be sent with POST.
struct Request {
  std::string_view path;  // of a literal
  std::string body;
};

/// What one connection does. A load calls all its clients on one thread, so they may share what they know.
class Client {
 public:
  virtual ~Client() = default;

  /// What to send now; nothing = the connection rests until wake().
  virtual std::optional<Request> next() = 0;
  virtual void answered(int status, const std::string& body) = 0;

  /// Asks for the next request, unless an answer is on its way: then that is done after it anyway.
  void wake() { wake_(); }

 private:
  friend class Load;
  std::function<void()> wake_;
};

/// Clients of one server, each with a connection of its own and one request at a time.
class Load {
 public:
  explicit Load(std::uint16_t port);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  /// Connects. The client lives as long as the load.
  Client& add(std::unique_ptr<Client> client);
  void after(Duration pause, std::function<void()> action);

  /// Lets all clients begin, and returns when none has anything to send or to wait for, or after stop(). The seconds
  /// that it took. Throws std::runtime_error when the server breaks a connection.
  double run();
  /// From a client. Answers that are still on their way are lost.
  void stop();

 private:
  class Connection;
  class Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace semel::bench
