#pragma once
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"
#include "domain/id.hpp"

struct pg_result;

/// What goes to the server and what comes back, always in PostgreSQL's binary form: a text with a zero byte in it is
/// then refused by the server, and not cut off on the way.
namespace semel::store::postgres {

/// The types that are used in parameters. Numbers of all sizes travel as bigint. The values are PostgreSQL's own.
enum class Type : std::uint32_t { boolean = 16, bytes = 17, integer = 20, text = 25, uuid = 2950 };
enum class ArrayType : std::uint32_t { boolean = 1000, bytes = 1001, integer = 1016, text = 1009, uuid = 2951 };

std::array<char, 8> big_endian(std::int64_t value);

template <typename T>
concept Number = (std::integral<T> && !std::same_as<T, bool>) || std::is_enum_v<T>;

/// The bytes of one value, handed to `sink` with its type.
template <typename Sink>
void encode(bool value, Sink&& sink) {
  sink(Type::boolean, std::string_view(value ? "\1" : "\0", 1));
}
template <Number T, typename Sink>
void encode(T value, Sink&& sink) {
  const std::array<char, 8> bytes = big_endian(static_cast<std::int64_t>(value));
  sink(Type::integer, std::string_view(bytes.data(), bytes.size()));
}
template <typename Sink>
void encode(Time time, Sink&& sink) {
  encode(to_ms(time), sink);
}
template <typename Sink>
void encode(Duration duration, Sink&& sink) {
  encode(static_cast<std::int64_t>(duration.count()), sink);
}
template <typename Sink>
void encode(const Uuid& uuid, Sink&& sink) {
  sink(Type::uuid, uuid.view());
}
template <typename Tag, typename Sink>
void encode(const domain::Id<Tag>& id, Sink&& sink) {
  sink(Type::uuid, id.uuid.view());
}
template <typename Sink>
void encode(const Hash32& hash, Sink&& sink) {
  sink(Type::bytes, as_text(hash));
}
template <typename Sink>
void encode(std::string_view text, Sink&& sink) {
  sink(Type::text, text);
}
template <typename Sink>
void encode(const std::string& text, Sink&& sink) {
  sink(Type::text, std::string_view(text));
}
template <typename Sink>
void encode(const char* text, Sink&& sink) {
  sink(Type::text, std::string_view(text));
}

/// The type that a value of T has; for values that are absent.
template <typename T>
constexpr Type type_of() {
  if constexpr (std::same_as<T, bool>) return Type::boolean;
  else if constexpr (std::same_as<T, Hash32>) return Type::bytes;
  else if constexpr (std::convertible_to<const T&, std::string_view>) return Type::text;
  else if constexpr (Number<T> || std::same_as<T, Time> || std::same_as<T, Duration>) return Type::integer;
  else return Type::uuid;
}

ArrayType array_of(Type element);

/// One array parameter, filled element by element: a column of a batch.
class Array {
 public:
  explicit Array(Type element) : element_(element) {}

  template <typename T>
  Array& add(const T& value) {
    encode(value, [this](Type type, std::string_view bytes) { append(type, bytes); });
    return *this;
  }
  template <typename T>
  Array& add(const std::optional<T>& value) {
    return value ? add(*value) : add_null();
  }
  Array& add_null();

  std::size_t size() const { return count_; }
  ArrayType type() const { return array_of(element_); }
  /// The whole array as it is sent.
  std::string bytes() const;

 private:
  void append(Type type, std::string_view bytes);

  const Type element_;
  std::size_t count_ = 0;
  bool has_null_ = false;
  std::string elements_;
};

/// The parameters of one statement, in order. Texts are not copied: they must live until it was run.
class Parameters {
 public:
  template <typename... T>
  explicit Parameters(const T&... values) {
    (add(values), ...);
  }

  template <typename T>
  Parameters& add(const T& value) {
    encode(value, [this](Type type, std::string_view bytes) { append(type, bytes); });
    return *this;
  }
  template <typename T>
  Parameters& add(const std::optional<T>& value) {
    if (value) return add(*value);
    push(static_cast<std::uint32_t>(type_of<T>()), nullptr, 0);
    return *this;
  }
  Parameters& add(const Array& array);

  int count() const { return static_cast<int>(types_.size()); }
  const std::uint32_t* types() const { return types_.data(); }
  const char* const* values() const { return values_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  void append(Type type, std::string_view bytes);
  void push(std::uint32_t type, const char* data, std::size_t size);

  std::deque<std::string> owned_;
  std::vector<std::uint32_t> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

/// One row of a result; columns are counted from 0. Valid as long as its Rows.
class Row {
 public:
  Row(const pg_result* result, int row) : result_(result), row_(row) {}

  bool is_null(int column) const;
  std::int64_t integer(int column) const;  // also of a boolean
  int small(int column) const { return static_cast<int>(integer(column)); }
  bool boolean(int column) const { return integer(column) != 0; }
  std::string text(int column) const { return std::string(view(column)); }  // empty when absent
  std::string_view view(int column) const;
  Time time(int column) const { return from_ms(integer(column)); }
  Uuid uuid(int column) const;
  Hash32 hash(int column) const;
  template <typename E>
  E as(int column) const {
    return static_cast<E>(integer(column));
  }
  std::optional<Time> optional_time(int column) const;
  std::optional<std::string> optional_text(int column) const;
  std::optional<Uuid> optional_uuid(int column) const;
  std::optional<Hash32> optional_hash(int column) const;
  std::optional<domain::ExecutionId> optional_id(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;

 private:
  const pg_result* result_;
  int row_;
};

/// The rows of a result: `for (const Row row : rows)`.
class Rows {
 public:
  explicit Rows(pg_result* result);

  class Iterator {
   public:
    Iterator(const pg_result* result, int row) : result_(result), row_(row) {}
    Row operator*() const { return {result_, row_}; }
    Iterator& operator++() {
      ++row_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const pg_result* result_;
    int row_;
  };

  /// Whether the statement went well: otherwise there is no row, and the result says why.
  bool is_good() const;
  pg_result* result() const { return result_.get(); }

  int count() const { return count_; }
  bool empty() const { return count_ == 0; }
  Row operator[](int row) const { return {result_.get(), row}; }
  Iterator begin() const { return {result_.get(), 0}; }
  Iterator end() const { return {result_.get(), count_}; }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
  int count_ = 0;
};

}  // namespace semel::store::postgres
