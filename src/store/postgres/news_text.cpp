#include "store/postgres/news_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>

namespace semel::store::postgres {
namespace {

constexpr int flag_new = 1;
constexpr int flag_took_over = 2;
constexpr int flag_ready = 4;
constexpr int flag_workflow = 8;
constexpr int flag_promise = 16;
constexpr int states = static_cast<int>(domain::State::timed_out) + 1;

/// Collects lines, and begins a new text when one is full.
class Texts {
 public:
  Texts(std::string_view server, Time now) : head_(fmt::format("1 {} {}\n", server, to_ms(now))) {}

  /// `line` is asked for again when a new text begins, since the subjects of the last one are not known there.
  template <typename Line>
  void add(const Line& line) {
    std::string lines = line(subjects_);
    if (!text_.empty() && text_.size() + lines.size() > news_bytes_max) {
      finish();
      lines = line(subjects_);
    }
    if (text_.empty()) text_ = head_;
    text_ += lines;
  }

  std::vector<std::string> take() {
    finish();
    return std::move(texts_);
  }

 private:
  using Subjects = std::map<std::string, std::size_t>;

  void finish() {
    if (!text_.empty()) texts_.push_back(std::move(text_));
    text_.clear();
    subjects_.clear();
  }

  const std::string head_;
  Subjects subjects_;
  std::string text_;
  std::vector<std::string> texts_;
};

std::string subject_line(const Change& change) {
  if (change.name.empty()) return fmt::format("s {} {} {}\n", change.tenant, change.queue, change.handler);
  return fmt::format("s {} {} {} {} {}\n", change.tenant, change.queue, change.handler, change.namespace_, change.name);
}

int flags_of(const Change& change) {
  int flags = change.is_new ? flag_new : 0;
  if (change.took_over) flags |= flag_took_over;
  if (change.is_ready) flags |= flag_ready;
  if (change.kind == domain::Kind::workflow) flags |= flag_workflow;
  if (change.kind == domain::Kind::promise) flags |= flag_promise;
  return flags;
}

domain::Kind kind_in(int flags) {
  if ((flags & flag_workflow) != 0) return domain::Kind::workflow;
  return (flags & flag_promise) != 0 ? domain::Kind::promise : domain::Kind::task;
}

std::string change_lines(const Change& change, std::map<std::string, std::size_t>& subjects) {
  std::string lines;
  std::string subject = subject_line(change);
  const auto [place, is_new] = subjects.emplace(subject, subjects.size());
  if (is_new) lines = std::move(subject);
  const std::string timer = change.timer ? std::to_string(to_ms(*change.timer)) : "-";
  return lines + fmt::format("c {} {} {} {} {} {}\n", place->second, change.id.text(), static_cast<int>(change.state),
                             change.attempt, flags_of(change), timer);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = line.find(' ');
    words.push_back(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  return words;
}

template <typename T>
std::optional<T> number_of(std::string_view word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<Change> decode_change(const std::vector<std::string_view>& words, const std::vector<Change>& subjects) {
  if (words.size() != 7) return std::nullopt;
  const auto subject = number_of<std::size_t>(words[1]);
  const std::optional<Uuid> id = Uuid::parse(words[2]);
  const auto state = number_of<int>(words[3]);
  const auto attempt = number_of<int>(words[4]);
  const auto flags = number_of<int>(words[5]);
  const auto timer = number_of<std::int64_t>(words[6]);
  const bool is_whole = subject && id && state && attempt && flags && (timer || words[6] == "-");
  if (!is_whole || *subject >= subjects.size() || *state < 0 || *state >= states) return std::nullopt;
  Change change = subjects[*subject];
  change.id = {*id};
  change.state = static_cast<domain::State>(*state);
  change.attempt = *attempt;
  change.is_new = (*flags & flag_new) != 0;
  change.took_over = (*flags & flag_took_over) != 0;
  change.is_ready = (*flags & flag_ready) != 0;
  change.kind = kind_in(*flags);
  if (timer) change.timer = from_ms(*timer);
  return change;
}

std::optional<Change> decode_subject(const std::vector<std::string_view>& words) {
  if (words.size() != 4 && words.size() != 6) return std::nullopt;
  Change subject;
  subject.tenant = words[1];
  subject.queue = words[2];
  subject.handler = words[3];
  if (words.size() == 4) return subject;
  subject.namespace_ = words[4];
  subject.name = words[5];
  return subject;
}

bool decode_line(const std::vector<std::string_view>& words, std::vector<Change>& subjects, News& news) {
  if (words.empty()) return true;
  const std::string_view kind = words.front();
  if (kind == "s") {
    auto subject = decode_subject(words);
    if (subject) subjects.push_back(*std::move(subject));
    return subject.has_value();
  }
  if (kind == "c") {
    auto change = decode_change(words, subjects);
    if (change) news.changes.push_back(*std::move(change));
    return change.has_value();
  }
  if (kind == "r") {
    if (words.size() != 4) return false;
    news.ready.push_back({std::string(words[1]), std::string(words[2]), std::string(words[3])});
  }
  news.templates_changed = news.templates_changed || kind == "templates";
  news.queues_changed = news.queues_changed || kind == "queues";
  news.keys_changed = news.keys_changed || kind == "keys";
  news.schedules_changed = news.schedules_changed || kind == "schedules";
  news.something_was_missed = news.something_was_missed || kind == "missed";
  return true;
}

}  // namespace

std::vector<std::string> encode_news(std::string_view server, const News& news) {
  Texts texts(server, news.now);
  for (const Change& change : news.changes) texts.add([&](auto& subjects) { return change_lines(change, subjects); });
  for (const Ready& ready : news.ready) {
    texts.add([&](auto&) { return fmt::format("r {} {} {}\n", ready.tenant, ready.queue, ready.handler); });
  }
  const auto add_word = [&](bool is_true, std::string_view word) {
    if (is_true) texts.add([&](auto&) { return fmt::format("{}\n", word); });
  };
  add_word(news.templates_changed, "templates");
  add_word(news.queues_changed, "queues");
  add_word(news.keys_changed, "keys");
  add_word(news.schedules_changed, "schedules");
  add_word(news.something_was_missed, "missed");
  return texts.take();
}

std::optional<ReceivedNews> decode_news(std::string_view text) {
  ReceivedNews received;
  std::vector<Change> subjects;
  bool is_head = true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::vector<std::string_view> words = words_of(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!is_head) {
      if (!decode_line(words, subjects, received.news)) return std::nullopt;
      continue;
    }
    const auto now = words.size() == 3 && words[0] == "1" ? number_of<std::int64_t>(words[2]) : std::nullopt;
    if (!now) return std::nullopt;
    received.server = words[1];
    received.news.now = from_ms(*now);
    is_head = false;
  }
  if (is_head) return std::nullopt;
  return received;
}

}  // namespace semel::store::postgres
