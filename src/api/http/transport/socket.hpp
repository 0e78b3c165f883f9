#pragma once
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

namespace semel::http {

using Context = boost::asio::io_context;  // one a thread, so that what runs on it needs no lock
using Executor = Context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;

/// What one attempt to move bytes, which never blocks, came to.
struct Transfer {
  enum class State {
    done,        // `count` bytes were moved
    wait_read,   // nothing was: try again when the socket is readable …
    wait_write,  // … or writable
    ended,       // the other side has ended its stream in order
    plain_http,  // of a handshake: the client speaks plain HTTP
    failed,
  };
  State state = State::failed;
  std::size_t count = 0;
};

/// Whether an error of the socket means "not now".
inline bool would_block(const boost::system::error_code& error) {
  namespace asio_error = boost::asio::error;
  return error == asio_error::would_block || error == asio_error::try_again || error == asio_error::interrupted;
}

}  // namespace semel::http
