#include <cstring>

#include "semel/replayer.hpp"
#include "tests/embedded/worker/five_steps.hpp"

/// Replays histories of doomed_worker: `replayer FILE…` with the code that made them, `replayer changed FILE…` with
/// code that begins with another task.
namespace semel {
namespace {

Workflow<std::string> changed_steps(WorkflowContext& ctx, int number) {
  co_return co_await ctx.task<std::string>("another_step", number);
}

}  // namespace
}  // namespace semel

int main(int argc, char** argv) {
  semel::testkit::Replayer replayer;
  if (argc < 2 || std::strcmp(argv[1], "changed") != 0)
    return replayer.workflow("five_steps", semel::test::five_steps).run(argc, argv);
  return replayer.workflow("five_steps", semel::changed_steps).run(argc - 1, argv + 1);
}
