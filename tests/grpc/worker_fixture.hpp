#pragma once
#include "tests/grpc/grpc_fixture.hpp"

namespace semel::test {

class GrpcWorker : public GrpcFixture {
 protected:
  std::vector<std::string> create_many(int count, const std::string& queue = "default") {
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i)
      ids.push_back(create("admin", {{"handler", "charge"}, {"queue", queue}, {"context", {{"n", i}}}}));
    return ids;
  }
  std::string status_of(const std::string& id) { return task(id)["status"]; }
};

}  // namespace semel::test
