#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sdk/client_core.hpp"
#include "sdk/testing/memory_backend.hpp"
#include "sdk/workflow/activations.hpp"
#include "semel/semel.hpp"
#include "tests/sdk/between.hpp"

namespace semel::sdk {

using namespace std::chrono_literals;

/// A server in memory, and a client of it that never really waits.
struct TestServer {
  std::shared_ptr<MemoryBackend> backend = std::make_shared<MemoryBackend>(Time(1'700'000'000s));
  Client client = client_of(backend);

  static Client client_of(const std::shared_ptr<Backend>& backend) {
    const ClientWorld world{[] { return Time(1'700'000'000s); }, [](Duration) {}};
    return Client(std::make_shared<ClientCore>(backend, ClientOptions().retry_for(1s), world));
  }

  std::vector<Lease> poll(const std::string& handler, int room = 10) {
    return backend->poll({"session", "worker", {{{"default"}, {handler}, room}}, 30s, 0s}, {}).value();
  }
  AnswerOutcome answer(const Answer& answer) {
    const std::vector<Answer> answers{answer};
    return backend->answer(answers).at(0).value();
  }
};

}  // namespace semel::sdk
