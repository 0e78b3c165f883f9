#pragma once
#include <memory>
#include <string>

#include "cli/client/transport.hpp"
#include "cli/client/url.hpp"

namespace semel::cli {

/// One connection to a server, made with the first request and kept alive. The only code that knows Beast and TLS.
class HttpTransport final : public Transport {
 public:
  struct Options {
    std::string key = {};        // sent as "Authorization: Bearer KEY" unless empty
    std::string ca_cert = {};    // a PEM file to trust beside the system's
    Duration connect_time = 5s;  // how long connecting may take
    Duration answer_time = 30s;  // how long sending, and then answering, may take
  };

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
