#pragma once
#include <string>
#include <type_traits>
#include <utility>

#include "semel/client.hpp"

namespace semel {

class EmbedOptions {
 public:
  EmbedOptions() = default;

  /// How long a call tries again while the store cannot take changes.
  EmbedOptions& retry_for(Duration time) {
    retry_for_ = time;
    return *this;
  }
  /// Whose tasks they are; "default" unless said otherwise.
  EmbedOptions& tenant(std::string name) {
    tenant_ = std::move(name);
    return *this;
  }

  Duration retry_for() const { return retry_for_; }
  const std::string& tenant() const { return tenant_; }

 private:
  Duration retry_for_ = std::chrono::seconds(30);
  std::string tenant_ = "default";
};

static_assert(!std::is_aggregate_v<EmbedOptions>);

/// The engine in this process, without a server: `store` is a file, which is made if it is not there, or "sqlite:FILE",
/// or "postgres://…", which other processes and servers may share. The engine ends with the last copy of the client and
/// the last of its workers. Throws std::runtime_error where the store cannot be opened: a file has one process at a
/// time.
Client embed(const std::string& store, const EmbedOptions& options = EmbedOptions());

}  // namespace semel
