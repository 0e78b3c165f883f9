#include "engine/engine.hpp"

namespace semel::engine {

/// Where there is a cache, what it keeps for all servers goes first: if that cannot be done, nothing is released.
void Engine::release(const domain::Principal& principal, const Hash32& hash, bool force,
                     Answer<Result<Released>> answer) {
  if (Result<void> allowed = require(principal, domain::Permission::admin); !allowed)
    return answer(pass_on(allowed.error()));
  if (options_.dedup_cache == nullptr) return commit_release(principal, hash, force, std::move(answer));
  options_.dedup_cache->forget({principal.tenant, hash}, [this, principal, hash, force,
                                                          answer = std::move(answer)](bool is_forgotten) {
    if (is_forgotten) return commit_release(principal, hash, force, answer);
    answer(refuse(ErrorCode::unavailable,
                  "the dedup cache cannot be told of the release; nothing was released, try again when it answers"));
  });
}

void Engine::commit_release(const domain::Principal& principal, const Hash32& hash, bool force,
                            Answer<Result<Released>> answer) {
  commit<Released>(Release{principal.tenant, hash, force, principal.key_id}, [answer = std::move(answer)](
                                                                                 Result<Released> released) {
    if (!released) return answer(std::move(released));
    switch (released->kind) {
      case Released::Kind::not_found: return answer(refuse(ErrorCode::not_found, "nothing holds this identity"));
      case Released::Kind::holder_open:
        return answer(refuse(ErrorCode::identity_held,
                             "the holder {} is still open; cancel it first, or release with force=true",
                             released->holder->text()));
      case Released::Kind::released: break;
    }
    answer(std::move(released));
  });
}

}  // namespace semel::engine
