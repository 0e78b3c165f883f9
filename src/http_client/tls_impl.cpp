// The part of Asio's TLS that is not templates, compiled once; the server does without it.
#include <boost/asio/ssl/impl/src.hpp>
