#include "cli/submission_options.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace semel::cli {

Result<std::string> read_file(const std::string& file) {
  const auto close = [](std::FILE* stream) {
    if (stream != stdin) std::fclose(stream);
  };
  const std::unique_ptr<std::FILE, decltype(close)> stream(file == "-" ? stdin : std::fopen(file.c_str(), "rb"), close);
  if (!stream) return bad_request("cannot read {}: {}", file, std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, stream.get())) text.append(buffer, count);
  if (std::ferror(stream.get()) != 0) return bad_request("cannot read {}: {}", file, std::strerror(errno));
  return text;
}

Result<SubmissionText> SubmissionOptions::read() const {
  SubmissionText all = text;
  const bool from_input = all.context == "-";
  if (!from_input && !context_file) return all;
  Result<std::string> context = read_file(from_input ? "-" : *context_file);
  if (!context) return pass_on(context.error());
  all.context = *std::move(context);
  return all;
}

std::shared_ptr<SubmissionOptions> add_submission_options(CLI::App& command) {
  auto options = std::make_shared<SubmissionOptions>();
  SubmissionText& text = options->text;
  CLI::Option* name = command.add_option("name", text.name, "The template (named task) to submit");
  command.add_option("--handler", text.handler, "For an ad-hoc task, instead of a name: which workers do it")
      ->excludes(name);
  command.add_option("--namespace", text.namespace_, "Of the template; default if absent");
  command.add_option("--version", text.version, "Of the template; the newest if absent");
  CLI::Option* context =
      command.add_option("--context", text.context, "The input as JSON, sent as written; - reads it");
  command.add_option("--context-file", options->context_file, "The file that has it; - is standard input")
      ->excludes(context);
  command.add_option("--idempotency-key", text.key, "What identifies the task, whatever the template says");
  command.add_option("--ttl", text.ttl, "How long it identifies, from creation: 1h");
  command.add_option("--queue", text.queue, "Request, else template, else default");
  command.add_option("--priority", text.priority, "Higher first; 0 if absent")->check(CLI::Range(-100, 100));
  CLI::Option* delay = command.add_option("--delay", text.delay, "Not before so long from now: 10m");
  command.add_option("--run-at", text.run_at, "Not before this time: 2026-01-20T12:30:00Z")->excludes(delay);
  command.add_option("--max-attempts", text.max_attempts, "How often it is tried at most; 3 if absent")
      ->check(CLI::Range(1, 1000));
  command.add_option("--concurrency-key", text.concurrency_key, "Tasks of a queue with the same one run one at a time");
  command.add_option("--attempt-timeout", text.timeout, "How long one attempt may take: 30s");
  command.add_option("--deadline", text.deadline, "When it must be closed, or in how long: 2h");
  command.add_option("--reuse", text.reuse, "When a closed task's identity may be taken over")
      ->check(CLI::IsMember({"allow_duplicate_failed_only", "reject_duplicate", "allow_duplicate"}));
  command.add_option("--on-duplicate", text.on_duplicate, "What a duplicate gets")
      ->check(CLI::IsMember({"reject", "describe", "return_existing"}));
  command.add_option("--on-payload-mismatch", text.on_payload_mismatch, "Same identity, other content")
      ->check(CLI::IsMember({"reject", "ignore"}));
  command.add_option("--label", text.labels, "name=value; may be given more than once")->allow_extra_args(false);
  return options;
}

}  // namespace semel::cli
