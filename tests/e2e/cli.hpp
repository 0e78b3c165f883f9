#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "tests/e2e/server_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temp_dir.hpp"

namespace semel::test {

/// `semel` with these arguments, to its end.
inline Finished run_semel(const std::vector<std::string>& arguments) {
  std::vector<std::string> command{places::semel};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_to_end(std::move(command));
}

/// `semel` as a client of the server at this address. It repeats nothing unless the arguments say so.
inline Finished run_client(const std::string& address, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--url", "http://" + address});
  if (std::find(arguments.begin(), arguments.end(), "--retries") == arguments.end())
    arguments.insert(arguments.end(), {"--retries", "0"});
  return run_semel(arguments);
}

inline void write_file(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

/// A running server, and `semel` as its client.
class CliTest : public testing::Test {
 protected:
  Finished semel(std::vector<std::string> arguments) { return run_client(server_.address(), std::move(arguments)); }

  /// The id in the answer of a submit that must create.
  std::string submit(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{"submit"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Finished done = semel(std::move(command));
    EXPECT_EQ(done.code, 0) << done.errors;
    return done.output.substr(0, 36);
  }

  /// Leases the next task and ends it; the members are those of the outcome.
  void work(const std::string& how, const Json& outcome) {
    RestClient client = server_.connect();
    const Json leases = client.post("/v1/worker/poll", {{"worker_id", "w1"}, {"queues", {"default"}}}).body["leases"];
    ASSERT_EQ(leases.size(), 1u);
    const std::string attempt = leases[0]["attempt_id"];
    ASSERT_EQ(client.post("/v1/attempts/" + attempt + "/" + how, outcome).status, 200);
  }

  TempDir folder_;
  ServerProcess server_{folder_ / "semel.db"};
};

}  // namespace semel::test
