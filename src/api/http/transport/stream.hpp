#pragma once
#include <span>
#include <string_view>

#include "api/http/transport/socket.hpp"
#include "api/http/transport/tls_context.hpp"

namespace semel::http {

/// The bytes of one connection, as they are or inside TLS. No call blocks: each does what can be done now, and says
/// for what to wait. Called on the connection's thread.
class Stream {
 public:
  /// Without a context it is plain.
  Stream(Socket socket, const TlsContext* tls);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Socket& socket() { return socket_; }
  bool is_tls() const { return tls_ != nullptr; }

  /// Of TLS, to be repeated until it is done. A stream whose client turned out to speak plain HTTP is plain from then
  /// on, so that it can be told so.
  Transfer handshake();
  /// The buffer of a TLS stream must have room for a whole record: what stayed behind would make no socket readable.
  Transfer read(std::span<char> buffer);
  /// Both pieces or a part of them. What waited has to be written again, with the same bytes in front.
  Transfer write(std::string_view first, std::string_view second = {});
  /// Tells the other side that nothing more comes.
  void end_writing();
  void close();

  static constexpr std::size_t record_bytes_max = 16 * 1024;

 private:
  /// What a call of OpenSSL that did not succeed came to.
  Transfer why_not(int result);
  void send_end();

  Socket socket_;
  TlsSession tls_;
  bool may_end_ = false;  // the handshake is done, the stream is in order, and our end has not been sent
};

}  // namespace semel::http
