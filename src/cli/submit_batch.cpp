#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "api/codec/error.hpp"
#include "base/uuid7_source.hpp"
#include "cli/submit.hpp"

namespace semel::cli {
namespace {

constexpr std::size_t tasks_max = 1'000;
constexpr std::size_t bytes_max = 8 << 20;  // half of what the server takes

struct Line {
  std::uint64_t number = 0;
  std::string submission;
};

/// What became of the lines until now.
struct Tally {
  std::uint64_t created = 0;
  std::uint64_t existing = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t refused = 0;
  std::uint64_t unavailable = 0;

  int exit_code() const {
    if (refused > 0) return exit_code::failed;
    if (unavailable > 0) return exit_code::unavailable;
    return duplicates > 0 ? exit_code::duplicate : exit_code::ok;
  }
};

class Batches {
 public:
  Batches(Client& client, std::string file) : client_(client), file_(std::move(file)), ids_(secure_random) {}

  /// False when the server cannot be reached, or refuses a whole batch.
  bool add(std::uint64_t number, const std::string& text) {
    const Time now = current_time();
    Result<std::string> submission = stamp_line(text, {ids_.next(now), now});
    if (!submission) {
      if (!flush()) return false;  // answers come in the order of the lines
      const std::string body = codec::encode_error(submission.error());
      tell(number, fmt::format(R"({{"status":400,"body":{}}})", body));
      return true;
    }
    const bool is_full = lines_.size() == tasks_max || bytes_ + submission->size() > bytes_max;
    if (is_full && !flush()) return false;
    bytes_ += submission->size() + 1;
    lines_.push_back({number, *std::move(submission)});
    return true;
  }

  bool flush() {
    if (lines_.empty()) return true;
    std::vector<std::string> answers(lines_.size());
    std::vector<std::size_t> open(lines_.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    for (int retry = 0; !open.empty(); ++retry) {
      if (!send(open, answers)) return false;
      std::erase_if(open, [&](std::size_t i) { return JsonView::parse(answers[i])["status"].raw() != "503"; });
      if (retry == client_.api_options().retries) break;
      if (!open.empty()) client_.api_options().pause(pause_before_retry(retry, std::nullopt));
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) tell(lines_[i].number, answers[i]);
    lines_.clear();
    bytes_ = 0;
    return true;
  }

  std::uint64_t first_unanswered() const { return lines_.empty() ? 0 : lines_.front().number; }
  const Tally& tally() const { return tally_; }
  int failure() const { return failure_; }

 private:
  bool send(const std::vector<std::size_t>& which, std::vector<std::string>& answers) {
    HttpCall call{.method = "POST", .target = "/v1/tasks:batch", .body = R"({"tasks":[)"};
    for (const std::size_t i : which) call.body += (i == which.front() ? "" : ",") + lines_[i].submission;
    call.body += "]}";
    const Result<HttpReply> reply = client_.call(call);
    if (!reply || reply->status != 200) {
      failure_ = client_.fail(reply);
      return false;
    }
    const std::vector<JsonView> results = JsonView::parse(reply->body)["results"].elements();
    if (results.size() != which.size()) {
      failure_ = refuse_failed("the answer does not fit the batch; is this a Semel server? Check --url");
      return false;
    }
    for (std::size_t i = 0; i < which.size(); ++i) answers[which[i]] = results[i].raw();
    return true;
  }

  void tell(std::uint64_t number, const std::string& answer) {
    if (client_.json()) print(answer + "\n");
    const JsonView view = JsonView::parse(answer);
    const JsonView error = view["body"]["error"];
    const int status = std::atoi(view["status"].text().c_str());
    switch (exit_code_of_submission(status, error["code"].text())) {
      case exit_code::ok: ++(status == 201 ? tally_.created : tally_.existing); return;
      case exit_code::duplicate: ++tally_.duplicates; return;
      case exit_code::unavailable: ++tally_.unavailable; break;
      default: ++tally_.refused;
    }
    print_error(fmt::format("{}:{}: {} ({})\n", file_, number, printable(error["message"].text()),
                            printable(error["code"].text())));
  }

  Client& client_;
  const std::string file_;
  Uuid7Source ids_;
  std::vector<Line> lines_;
  std::size_t bytes_ = 0;
  Tally tally_;
  int failure_ = exit_code::ok;
};

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t\r") == std::string::npos; }

int conclude(const Client& client, const Batches& batches) {
  const Tally& tally = batches.tally();
  const std::string text =
      fmt::format("{} created, {} existed and were returned, {} duplicates, {} refused, {} not taken now\n",
                  tally.created, tally.existing, tally.duplicates, tally.refused, tally.unavailable);
  if (client.json()) print_error(text);
  else print(text);
  return batches.failure() != exit_code::ok ? batches.failure() : tally.exit_code();
}

}  // namespace

int submit_batch(Client& client, const std::string& file) {
  std::ifstream opened;
  if (file != "-") opened.open(file, std::ios::binary);
  if (!opened) return refuse_usage(fmt::format("cannot read {}: {}", file, std::strerror(errno)));
  std::istream& input = file == "-" ? std::cin : opened;
  std::error_code unknown;
  const std::uintmax_t size = file == "-" ? 0 : std::filesystem::file_size(file, unknown);
  Batches batches(client, file);
  bool goes_on = true;
  {
    Progress progress("submitting");
    std::uint64_t number = 0;
    std::uint64_t read = 0;
    for (std::string line; goes_on && std::getline(input, line);) {
      ++number;
      read += line.size() + 1;
      if (!is_blank(line)) goes_on = batches.add(number, line);
      if (!unknown && size > 0) progress.show(read, size);
    }
    goes_on = goes_on && batches.flush();
  }
  if (!goes_on) {
    print_error(fmt::format("semel: stopped; what comes from line {} on is not known to be submitted\n",
                            batches.first_unanswered()));
  }
  return conclude(client, batches);
}

}  // namespace semel::cli
