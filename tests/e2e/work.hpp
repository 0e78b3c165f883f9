#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/cli.hpp"
#include "tests/support/places.hpp"

namespace semel::test {

/// A named pipe between a test and a handler: each side waits until the other is there.
class Meeting {
 public:
  explicit Meeting(std::filesystem::path path) : path_(std::move(path)) {
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("cannot make a named pipe");
  }

  std::string path() const { return path_.string(); }
  /// Lets whoever reads it go on.
  void write() const { std::ofstream(path_) << "go\n"; }
  /// Waits until whoever writes to it has closed it.
  std::string read() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

/// `semel work` on the queue `default` of the server at this address.
inline std::vector<std::string> work_command(const std::string& address, const std::vector<std::string>& options,
                                             const std::vector<std::string>& handler) {
  std::vector<std::string> command{places::semel, "work", "--queue", "default", "--url", "http://" + address};
  command.insert(command.end(), options.begin(), options.end());
  command.push_back("--");
  command.insert(command.end(), handler.begin(), handler.end());
  return command;
}

/// A running server, `semel` as its client, and `semel work` as its worker.
class WorkTest : public CliTest {
 protected:
  /// The worker until it ends by itself.
  Finished work_off(const std::vector<std::string>& handler, std::vector<std::string> options = {}) {
    if (options.empty()) options = {"--exit-when-empty"};
    return run_to_end(work_command(server_.address(), options, handler));
  }

  /// A handler in shell.
  static std::vector<std::string> shell(const std::string& script) { return {"sh", "-c", script}; }

  /// The worker beside the test. What it writes to standard error comes with its standard output.
  std::vector<std::string> worker(const std::vector<std::string>& handler, std::vector<std::string> options = {}) {
    std::vector<std::string> command = work_command(server_.address(), options, handler);
    command.insert(command.begin(), {"sh", "-c", "exec \"$@\" 2>&1", "sh"});
    return command;
  }

  /// Reads lines until one has the text.
  static std::string read_until(Process& process, const std::string& text) {
    while (const std::optional<std::string> line = process.read_line()) {
      if (line->find(text) != std::string::npos) return *line;
    }
    ADD_FAILURE() << "there was no line with: " << text;
    return "";
  }

  Json task(const std::string& id) { return server_.connect().get("/v1/tasks/" + id).body; }

  /// The task once it is closed.
  Json closed(const std::string& id) {
    const Reply reply = server_.connect().get("/v1/tasks/" + id + "/result?wait=60s");
    EXPECT_EQ(reply.status, 200) << reply.body;
    return task(id);
  }
};

}  // namespace semel::test
