#pragma once
#include <boost/beast/http/basic_parser.hpp>
#include <string>

#include "api/http/transport/head.hpp"

namespace semel::http {

/// Beast's parser, which keeps only what Semel needs and writes it straight into the session's own storage:
/// no field list is built, nothing is allocated for headers that are not used. One object parses one request.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  /// Both must outlive the parser; it writes to nothing else.
  RequestParser(Head& head, std::string& body);

 private:
  using Field = boost::beast::http::field;
  using Verb = boost::beast::http::verb;
  using Text = boost::beast::string_view;
  using ErrorCode = boost::beast::error_code;
  using Length = boost::optional<std::uint64_t>;

  void on_request_impl(Verb verb, Text method, Text target, int version, ErrorCode& error) override;
  void on_response_impl(int, Text, int, ErrorCode&) override {}
  void on_field_impl(Field field, Text name, Text value, ErrorCode& error) override;
  void on_header_impl(ErrorCode& error) override;
  void on_body_init_impl(const Length& length, ErrorCode& error) override;
  std::size_t on_body_impl(Text bytes, ErrorCode& error) override;
  void on_chunk_header_impl(std::uint64_t, Text, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t remain, Text bytes, ErrorCode& error) override;
  void on_finish_impl(ErrorCode&) override {}

  void on_unknown_field(std::string_view name, std::string_view value);

  Head& head_;
  std::string& body_;
  bool head_is_done_ = false;
};

}  // namespace semel::http
