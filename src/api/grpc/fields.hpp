#pragma once
#include <google/protobuf/map.h>
#include <semel/v1/task.pb.h>

#include <optional>
#include <string>

#include "api/codec/moments.hpp"
#include "api/codec/submission_draft.hpp"
#include "api/grpc/values.hpp"

/// Fields of messages into a SubmissionDraft, which checks them.
namespace semel::rpc {

/// Reads fields one after the other, until one is refused.
class Fields {
 public:
  /// `set` is asked for where the field is there.
  template <typename Set>
  Fields& field(bool is_there, const Set& set) {
    if (is_there && fits_) fits_ = set();
    return *this;
  }
  /// A time or a duration, put in its place.
  template <typename Member, typename Value>
  Fields& moment(bool is_there, const char* name, const Value& value, Member& member) {
    return field(is_there, [&]() -> Result<void> {
      const auto read = read_moment(name, value);
      if (!read) return pass_on(read.error());
      member = *read;
      return {};
    });
  }
  template <typename Domain, typename Wire>
  Fields& choice(const char* name, Wire value, int last, std::optional<Domain>& member) {
    return field(true, [&]() -> Result<void> {
      const Result<std::optional<Domain>> read = read_choice<Domain>(name, value, last);
      if (!read) return pass_on(read.error());
      member = *read;
      return {};
    });
  }
  const Result<void>& fits() const { return fits_; }

 private:
  static Result<Time> read_moment(const char* name, const google::protobuf::Timestamp& time) {
    return read_time(name, time);
  }
  static Result<Duration> read_moment(const char* name, const google::protobuf::Duration& duration) {
    return read_duration(name, duration);
  }

  Result<void> fits_;
};

/// `field` is what the message calls it.
Result<void> set_context(std::string_view field, const std::string& json, codec::SubmissionDraft& draft);
Result<void> add_labels(const google::protobuf::Map<std::string, std::string>& labels, codec::SubmissionDraft& draft);
Result<void> read_retry(const v1::Retry& retry, domain::RetrySettings& settings);
using codec::check_deadline;

}  // namespace semel::rpc
