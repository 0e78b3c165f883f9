#pragma once
#include <openssl/bio.h>

#include "api/http/transport/socket.hpp"

namespace semel::http {

/// Lets OpenSSL read and write a socket that does not block. OpenSSL's own would raise SIGPIPE when the other side has
/// gone. The socket must outlive it; whoever gets it frees it.
BIO* make_bio(Socket& socket);

}  // namespace semel::http
