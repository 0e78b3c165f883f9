// A task, a workflow that waits for it, and a client that waits for the workflow: one program, one file.
//
//   ./hello [FILE]                with the engine in it
//   ./hello server:HOST:PORT      with that of a server, at its address for gRPC
//
// Run it twice: the second run greets nobody. A workflow has an id, and what has that id was done already.
#include <semel/connect.hpp>
#include <semel/embed.hpp>
#include <semel/semel.hpp>

#include <iostream>

// A task is any function. It is tried again when it throws, and may run twice when its process dies.
std::string greet(std::string name) {
  std::cout << "greeting " << name << std::endl;
  return "Hello, " + name + "!";
}

// A workflow is a coroutine. Each co_await is a place where the process may end, and another one goes on from.
semel::Workflow<std::string> welcome(semel::WorkflowContext& ctx, std::string name) {
  const auto greeting = co_await ctx.task<std::string>("greet", name);
  co_return greeting + " Welcome.";
}

// What follows is the same, wherever the engine is.
semel::Client open(const std::string& place) {
  const std::string server = "server:";
  if (place.starts_with(server)) return semel::connect(place.substr(server.size()));
  return semel::embed(place);
}

int main(int argc, char** argv) {
  semel::Client client = open(argc > 1 ? argv[1] : "hello.db");

  semel::Worker worker(client);
  worker.task("greet", greet);
  worker.workflow("welcome", welcome);
  worker.start();

  const auto handle = client.start_workflow<std::string>("welcome", "welcome-ada", "Ada");
  std::cout << handle.result() << std::endl;
}
