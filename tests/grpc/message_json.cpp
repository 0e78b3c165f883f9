#include "tests/grpc/message_json.hpp"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <algorithm>
#include <stdexcept>

#include "base/time.hpp"

namespace semel::test {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::json;

/// "ON_DUPLICATE_" of OnDuplicate.
std::string prefix_of(const std::string& type) {
  std::string prefix;
  for (const char c : type) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !prefix.empty()) prefix += '_';
    prefix += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return prefix + '_';
}

std::string changed(std::string text, int (*change)(int)) {
  std::transform(text.begin(), text.end(), text.begin(), [&](unsigned char c) { return static_cast<char>(change(c)); });
  return text;
}

Json message_to_json(const Message& message) {
  if (const auto* time = dynamic_cast<const google::protobuf::Timestamp*>(&message))
    return to_rfc3339(from_ms(time->seconds() * 1'000 + time->nanos() / 1'000'000));
  if (const auto* duration = dynamic_cast<const google::protobuf::Duration*>(&message))
    return to_text(Duration{duration->seconds() * 1'000 + duration->nanos() / 1'000'000});
  return to_json(message);
}

/// `index` is -1 for what is there once.
Json value_of(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& r = *message.GetReflection();
  const bool one = index < 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return one ? r.GetInt32(message, &field) : r.GetRepeatedInt32(message, &field, index);
    case FieldDescriptor::CPPTYPE_INT64:
      return one ? r.GetInt64(message, &field) : r.GetRepeatedInt64(message, &field, index);
    case FieldDescriptor::CPPTYPE_UINT32:
      return one ? r.GetUInt32(message, &field) : r.GetRepeatedUInt32(message, &field, index);
    case FieldDescriptor::CPPTYPE_UINT64:
      return one ? r.GetUInt64(message, &field) : r.GetRepeatedUInt64(message, &field, index);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return one ? r.GetDouble(message, &field) : r.GetRepeatedDouble(message, &field, index);
    case FieldDescriptor::CPPTYPE_BOOL:
      return one ? r.GetBool(message, &field) : r.GetRepeatedBool(message, &field, index);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* value = one ? r.GetEnum(message, &field) : r.GetRepeatedEnum(message, &field, index);
      return changed(value->name().substr(prefix_of(field.enum_type()->name()).size()), std::tolower);
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text = one ? r.GetString(message, &field) : r.GetRepeatedString(message, &field, index);
      return field.type() == FieldDescriptor::TYPE_BYTES ? Json::parse(text) : Json(text);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return message_to_json(one ? r.GetMessage(message, &field) : r.GetRepeatedMessage(message, &field, index));
    default: throw std::runtime_error("a type that no message has: " + field.full_name());
  }
}

void set_message(Message& message, const Json& json) {
  if (auto* time = dynamic_cast<google::protobuf::Timestamp*>(&message)) {
    const std::int64_t ms = to_ms(parse_rfc3339(json.get<std::string>()).value());
    time->set_seconds(ms / 1'000);
    time->set_nanos(static_cast<std::int32_t>(ms % 1'000) * 1'000'000);
  } else if (auto* duration = dynamic_cast<google::protobuf::Duration*>(&message)) {
    const std::int64_t ms = parse_duration(json.get<std::string>()).value().count();
    duration->set_seconds(ms / 1'000);
    duration->set_nanos(static_cast<std::int32_t>(ms % 1'000) * 1'000'000);
  } else {
    from_json(message, json);
  }
}

void set_value(Message& message, const FieldDescriptor& field, const Json& json) {
  const Reflection& r = *message.GetReflection();
  const bool many = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return many ? r.AddInt32(&message, &field, json) : r.SetInt32(&message, &field, json);
    case FieldDescriptor::CPPTYPE_INT64:
      return many ? r.AddInt64(&message, &field, json) : r.SetInt64(&message, &field, json);
    case FieldDescriptor::CPPTYPE_UINT32: return r.SetUInt32(&message, &field, json);
    case FieldDescriptor::CPPTYPE_UINT64: return r.SetUInt64(&message, &field, json);
    case FieldDescriptor::CPPTYPE_DOUBLE: return r.SetDouble(&message, &field, json);
    case FieldDescriptor::CPPTYPE_BOOL: return r.SetBool(&message, &field, json);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const std::string name = prefix_of(field.enum_type()->name()) + changed(json.get<std::string>(), std::toupper);
      const auto* value = field.enum_type()->FindValueByName(name);
      if (value == nullptr) throw std::runtime_error("no enumerator " + name);
      return many ? r.AddEnum(&message, &field, value) : r.SetEnum(&message, &field, value);
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text = field.type() == FieldDescriptor::TYPE_BYTES ? json.dump() : json.get<std::string>();
      return many ? r.AddString(&message, &field, text) : r.SetString(&message, &field, text);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return set_message(many ? *r.AddMessage(&message, &field) : *r.MutableMessage(&message, &field), json);
    default: throw std::runtime_error("a type that no message has: " + field.full_name());
  }
}

Json repeated_to_json(const Message& message, const FieldDescriptor& field) {
  const int size = message.GetReflection()->FieldSize(message, &field);
  Json values = field.is_map() ? Json::object() : Json::array();
  for (int i = 0; i < size; ++i) {
    const Json value = value_of(message, field, i);
    if (field.is_map()) values[value["key"].get<std::string>()] = value["value"];
    else values.push_back(value);
  }
  return values;
}

}  // namespace

Json to_json(const Message& message) {
  Json json = Json::object();
  const Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.is_repeated()) {
      const Json values = repeated_to_json(message, field);
      if (!values.empty()) json[field.name()] = values;
    } else if (!field.has_presence() || message.GetReflection()->HasField(message, &field)) {
      json[field.name()] = value_of(message, field, -1);
    }
  }
  return json;
}

void from_json(Message& message, const Json& json) {
  for (const auto& [name, value] : json.items()) {
    const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
    if (field == nullptr) throw std::runtime_error("no field " + name + " in " + message.GetTypeName());
    if (field->is_map()) {
      for (const auto& [key, each] : value.items()) set_value(message, *field, Json{{"key", key}, {"value", each}});
    } else if (field->is_repeated()) {
      for (const Json& each : value) set_value(message, *field, each);
    } else {
      set_value(message, *field, value);
    }
  }
}

}  // namespace semel::test
