#pragma once
#include <google/protobuf/message.h>

#include "tests/support/json.hpp"

namespace semel::test {

/// A message in the words of REST: fields by their names, JSON bytes as what they mean, times and durations as texts,
/// enumerators in lower case. What is not set or empty is left out.
nlohmann::json to_json(const google::protobuf::Message& message);

/// The other way round.
void from_json(google::protobuf::Message& message, const nlohmann::json& json);

template <typename Message>
Message make(const nlohmann::json& json) {
  Message message;
  from_json(message, json);
  return message;
}

}  // namespace semel::test
