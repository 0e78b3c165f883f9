#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace semel::cli {

/// One function a command: adds it to the program, and sets the exit code when it runs (client/exit_code.hpp).
void add_server(CLI::App& app, int& exit_code);
void add_config(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);

// These call a server.
void add_submit(CLI::App& app, int& exit_code);
void add_get(CLI::App& app, int& exit_code);
void add_ls(CLI::App& app, int& exit_code);
void add_result(CLI::App& app, int& exit_code);
void add_cancel(CLI::App& app, int& exit_code);
void add_retry(CLI::App& app, int& exit_code);
void add_resolve(CLI::App& app, int& exit_code);
void add_find(CLI::App& app, int& exit_code);
void add_redispatch(CLI::App& app, int& exit_code);
void add_graph(CLI::App& app, int& exit_code);
void add_history(CLI::App& app, int& exit_code);
void add_workflow(CLI::App& app, int& exit_code);
void add_promise(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_template(CLI::App& app, int& exit_code);
/// Of `semel template`.
void add_template_diff(CLI::App& group, int& exit_code);
void add_bulk(CLI::App& app, int& exit_code);
void add_dead(CLI::App& app, int& exit_code);
/// Of `semel dead`.
void add_dead_list(CLI::App& group, int& exit_code);
void add_queue(CLI::App& app, int& exit_code);
void add_schedule(CLI::App& app, int& exit_code);
void add_key(CLI::App& app, int& exit_code);
void add_audit(CLI::App& app, int& exit_code);
/// `handler` is the command that stands after the --.
void add_work(CLI::App& app, int& exit_code, std::vector<std::string> handler);

// These work on a store itself.
void add_backup(CLI::App& app, int& exit_code);
void add_restore(CLI::App& app, int& exit_code);
void add_migrate(CLI::App& app, int& exit_code);
void add_store(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);

// This reads what an export has written.
void add_query(CLI::App& app, int& exit_code);

void add_doctor(CLI::App& app, int& exit_code);
/// Knows all commands that were added before it.
void add_completion(CLI::App& app, int& exit_code);

}  // namespace semel::cli
