#include "api/http/transport/accept_encoding.hpp"

#include <gtest/gtest.h>

namespace semel::http {
namespace {

TEST(AcceptEncoding, AllowsGzipWhereItIsNamed) {
  for (const char* text : {"gzip", "GZIP", "gzip, deflate, br, zstd", "br,gzip", "br;q=1.0, gzip;q=0.5", " gzip ;q=1",
                           "*", "deflate, *;q=0.1", "gzip, *;q=0"}) {
    EXPECT_TRUE(accepts_gzip(text)) << text;
  }
}

TEST(AcceptEncoding, DoesNotAllowItElse) {
  for (const char* text :
       {"", "identity", "br", "gzip;q=0", "gzip; q=0.000", "gzip;q=0, *", "gzipped", "*;q=0", ",,"}) {
    EXPECT_FALSE(accepts_gzip(text)) << text;
  }
}

}  // namespace
}  // namespace semel::http
