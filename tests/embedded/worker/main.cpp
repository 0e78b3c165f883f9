#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <iostream>

#include "semel/connect.hpp"
#include "semel/embed.hpp"
#include "tests/embedded/worker/five_steps.hpp"

/// A program that is there to be killed: it starts workflows of five steps, works on them, and ends when all of them
/// have ended. Whoever runs it again with the same store goes on with the same workflows.
///
///   doomed_worker STORE WORKFLOWS        with the engine in the process
///   doomed_worker server:HOST:PORT …     connected to a server
///
/// Each step that was done is a line on its standard output; the last line is "all".
namespace semel {
namespace {

using namespace std::chrono_literals;

/// No two attempts give the same, in any process.
std::string token() {
  static std::atomic<int> count = 0;
  std::string text = std::to_string(::getpid()) + "-" + std::to_string(++count);
  std::puts(text.c_str());
  std::fflush(stdout);
  return text;
}

int run(const std::string& store, int count) {
  Client client = store.starts_with("server:") ? connect(store.substr(7)) : embed(store);
  Worker worker(client, WorkerOptions().lease(2s));
  worker.task("step", [](int) { return token(); });
  worker.task("keep_promise", [client](int number) mutable {
    client.resolve_promise("promise-" + std::to_string(number), "kept-" + std::to_string(number));
    return token();
  });
  worker.workflow("five_steps", test::five_steps);
  worker.start();
  std::vector<WorkflowHandle<>> handles;
  for (int i = 0; i < count; ++i)
    handles.push_back(client.start_workflow("five_steps", "five-" + std::to_string(i), i));
  for (const WorkflowHandle<>& handle : handles) handle.result();
  std::puts("all");
  return 0;
}

}  // namespace
}  // namespace semel

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    return semel::run(argv[1], std::stoi(argv[2]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 1;
  }
}
