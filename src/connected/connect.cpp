#include "semel/connect.hpp"

#include "connected/connection.hpp"
#include "sdk/client_core.hpp"

namespace semel {

Client connect(const std::string& address, const ConnectOptions& options) {
  auto connection = std::make_shared<connected::Connection>(address, options);
  return Client(
      std::make_shared<sdk::ClientCore>(std::move(connection), ClientOptions().retry_for(options.retry_for())));
}

}  // namespace semel
