#pragma once
#include <memory>

#include "cli/client/http_connection.hpp"
#include "cli/client/transport.hpp"
#include "cli/client/url.hpp"

namespace semel::cli {

/// One connection to a server, made with the first request and kept alive, for callers that wait for each answer.
class HttpTransport final : public Transport {
 public:
  using Options = HttpOptions;

  HttpTransport(Url url, Options options);
  ~HttpTransport() override;

  Result<HttpReply> send(const HttpCall& call) override;

 private:
  class Inner;
  std::unique_ptr<Inner> inner_;
};

/// Lets so much time pass.
void pause(Duration duration);

}  // namespace semel::cli
