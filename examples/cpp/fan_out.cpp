// A thousand tasks at once, and one sum of what they found.
//
//   ./fan_out [FILE]
#include <semel/embed.hpp>
#include <semel/semel.hpp>

#include <iostream>
#include <vector>

// How many pages a document has; think of something that takes a while and can fail.
int count_pages(int document) { return 1 + document % 7; }

semel::Workflow<int> count_all(semel::WorkflowContext& ctx, int documents) {
  std::vector<semel::Pending<int>> counts;
  for (int document = 0; document < documents; ++document) {
    counts.push_back(ctx.task<int>("count_pages", document));  // begun, not yet waited for
  }
  // All tasks are made in one transaction here. Should the process die now, those that were done stay done.
  const std::vector<int> pages = co_await semel::all(std::move(counts));
  int sum = 0;
  for (const int count : pages) sum += count;
  co_return sum;
}

int main(int argc, char** argv) {
  semel::Client client = semel::embed(argc > 1 ? argv[1] : "documents.db");
  // Up to 32 tasks at once in this process; others could help, on the same PostgreSQL store.
  semel::Worker worker(client, semel::WorkerOptions().concurrency(32));
  worker.task("count_pages", count_pages);
  worker.workflow("count_all", count_all);
  worker.start();

  const auto handle = client.start_workflow<int>("count_all", "count-2026", 1000);
  std::cout << "1000 documents have " << handle.result() << " pages" << std::endl;
}
