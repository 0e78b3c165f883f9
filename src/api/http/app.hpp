#pragma once
#include "api/http/transport/message.hpp"
#include "engine/engine.hpp"
#include "ports/authenticator.hpp"

namespace semel::http {

/// The REST API: finds the route, authenticates, decodes, calls the engine, encodes. No rule of the domain is here.
/// Called on the server's threads; answers come back on any.
class App final : public Handler {
 public:
  App(engine::Engine& engine, const Authenticator& authenticator) : engine_(engine), authenticator_(authenticator) {}

  void handle(Request request, Respond respond) override;
  std::size_t body_bytes_max(std::string_view method, std::string_view path) const override;

 private:
  engine::Engine& engine_;
  const Authenticator& authenticator_;
};

}  // namespace semel::http
