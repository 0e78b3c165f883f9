// A workflow that waits for a person, for a week if it must. The programs that ask, and that bring the answer, are other
// processes: all that waits is in the file.
//
//   ./approval request ID AMOUNT     begins, and ends when the manager has been asked
//   ./approval approve ID            or refuse: brings the answer, and ends when it has been acted on
//   ./approval work                  goes on with what others have begun, until Ctrl-C
#include <semel/embed.hpp>
#include <semel/semel.hpp>

#include <iostream>
#include <semaphore>

using namespace std::chrono_literals;

struct Expense {
  std::string id;
  int amount = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Expense, id, amount)

semel::Workflow<std::string> reimburse(semel::WorkflowContext& ctx, Expense expense) {
  // The promise is there before anybody hears of it, since what follows is made in the same transaction: an answer never
  // comes too early. Its key is how the answer finds it; a web hook would use the same.
  auto promise = ctx.promise<bool>("approve-" + expense.id, semel::PromiseOptions().timeout(7 * 24h));
  co_await ctx.task<void>("ask_manager", expense);

  // As a value: that nobody answers within the week is no error here.
  const auto answer = co_await std::move(promise).settled();
  const bool is_approved = answer && answer.value();
  if (is_approved) co_await ctx.task<void>("pay", expense);
  else co_await ctx.task<void>("decline", expense);
  co_return "done";
}

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "work";
  const std::string id = argc > 2 ? argv[2] : "";
  std::counting_semaphore told(0);  // a person heard of it: all that one run of this program is to bring about
  const auto tell = [&](const std::string& text) {
    std::cout << text << std::endl;
    told.release();
  };

  semel::Client client = semel::embed("expenses.db");
  semel::Worker worker(client);
  worker.task("ask_manager", [&](Expense expense) {
    tell("May we pay " + std::to_string(expense.amount) + " for " + expense.id + "? Say: approval approve " + expense.id);
  });
  worker.task("pay", [&](Expense expense) { tell("paid " + std::to_string(expense.amount) + " for " + expense.id); });
  worker.task("decline", [&](Expense expense) { tell(expense.id + " is not paid"); });
  worker.workflow("reimburse", reimburse);

  if (command == "work") {
    worker.run();
    return 0;
  }
  if (command == "request") {
    const Expense expense{id, argc > 3 ? std::stoi(argv[3]) : 100};
    const auto handle = client.start_workflow<std::string>("reimburse", id, expense);
    if (!handle.is_new()) tell(id + " was requested before");
  } else {
    try {
      // Once: whoever is second, with whatever answer, changes nothing.
      const bool is_first = client.resolve_promise("approve-" + id, command == "approve");
      if (!is_first) tell(id + " was answered before");
    } catch (const semel::RequestRefused& refused) {
      tell("nobody has asked about " + id + ": " + refused.code());
    }
  }
  worker.start();
  told.acquire();
  worker.stop();  // ends what it has begun; the workflow goes on in the next run
}
