#include "api/http/transport/socket_bio.hpp"

#include <boost/asio/buffer.hpp>
#include <memory>
#include <new>

namespace semel::http {
namespace {

namespace asio = boost::asio;

Socket& socket_of(BIO* bio) { return *static_cast<Socket*>(BIO_get_data(bio)); }

int write(BIO* bio, const char* bytes, std::size_t size, std::size_t* written) {
  boost::system::error_code error;
  *written = socket_of(bio).write_some(asio::buffer(bytes, size), error);
  BIO_clear_retry_flags(bio);
  if (would_block(error)) BIO_set_retry_write(bio);
  return error ? 0 : 1;
}

int read(BIO* bio, char* bytes, std::size_t size, std::size_t* count) {
  boost::system::error_code error;
  *count = socket_of(bio).read_some(asio::buffer(bytes, size), error);
  BIO_clear_retry_flags(bio);
  if (would_block(error)) BIO_set_retry_read(bio);
  if (error == asio::error::eof) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return error ? 0 : 1;
}

long control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;  // nothing is kept back
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return 0;
}

std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> make_method() {
  std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> method(
      BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "semel socket"), BIO_meth_free);
  if (!method) throw std::bad_alloc();
  BIO_meth_set_write_ex(method.get(), write);
  BIO_meth_set_read_ex(method.get(), read);
  BIO_meth_set_ctrl(method.get(), control);
  return method;
}

}  // namespace

BIO* make_bio(Socket& socket) {
  static const auto method = make_method();
  BIO* const bio = BIO_new(method.get());
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, &socket);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace semel::http
