#include "semel/embed.hpp"

#include <stdexcept>

#include "domain/names.hpp"
#include "embedded/engine_in_process.hpp"
#include "sdk/client_core.hpp"
#include "server/open_store.hpp"

namespace semel {
namespace {

const SystemClock clock_of_this_machine;

server::StoreOptions store_options(const std::string& store) {
  const bool is_named = store.starts_with("sqlite:") || store.starts_with("postgres");
  Result<server::StoreTarget> target = server::parse_store(is_named ? store : "sqlite:" + store);
  if (!target) throw std::runtime_error(target.error().message);
  server::StoreOptions options;
  options.target = *std::move(target);
  return options;
}

}  // namespace

Client embed(const std::string& store, const EmbedOptions& options) {
  if (Result<void> fits = domain::check_name("tenant", options.tenant()); !fits)
    throw std::runtime_error(fits.error().message);
  auto engine = std::make_shared<embedded::EngineInProcess>(
      server::open_store(store_options(store), clock_of_this_machine), options.tenant());
  return Client(std::make_shared<sdk::ClientCore>(std::move(engine), ClientOptions().retry_for(options.retry_for())));
}

}  // namespace semel
