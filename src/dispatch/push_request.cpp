#include "dispatch/push_request.hpp"

#include <fmt/format.h>

#include <array>

#include "api/codec/answers.hpp"
#include "base/json/writer.hpp"
#include "domain/webhook.hpp"

namespace semel::dispatch {
namespace {

constexpr std::array<std::string_view, 4> callbacks{"started", "heartbeat", "completed", "failed"};

std::string envelope(const DispatchOrder& order) {
  json::Writer writer;
  writer.begin_object();
  codec::write_lease(writer, order.lease, order.ids);
  if (order.lease.execution.deadline) writer.string("deadline", to_rfc3339(*order.lease.execution.deadline));
  writer.key("callbacks").begin_object();
  for (const std::string_view name : callbacks) writer.string(name, fmt::format("{}/{}", order.callback_url, name));
  writer.end_object().string("token", order.token);
  return writer.end_object().take();
}

/// No value can end a header, whatever names will be allowed one day.
std::string header_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c > ' ' && c <= '~') escaped += c;
    else escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

}  // namespace

Result<Signer> Signer::make(const SigningSecrets& secrets) {
  Signer signer;
  for (const auto& [name, texts] : secrets) {
    for (const std::string& text : texts) {
      Result<std::string> key = domain::parse_webhook_secret(text);
      if (!key) return bad_request("the signing secret of '{}' cannot be used: {}", name, key.error().message);
      signer.keys_[name].push_back(*std::move(key));
    }
  }
  return signer;
}

const std::vector<std::string>& Signer::keys_for(const std::string& tenant, const std::string& queue) const {
  static const std::vector<std::string> none;
  for (const std::string& name : {tenant + "/" + queue, tenant, std::string("default")}) {
    if (const auto found = keys_.find(name); found != keys_.end()) return found->second;
  }
  return none;
}

PushRequest push_request(const DispatchOrder& order, const Signer& signer, Time sent_at) {
  const domain::ExecutionSpec& spec = order.lease.execution.spec;
  PushRequest request{{}, envelope(order)};
  const auto add = [&](std::string name, std::string_view value) {
    request.headers.emplace_back(std::move(name), header_text(value));
  };
  request.headers.emplace_back("Content-Type", "application/json");
  add("Idempotency-Key", spec.id.text());
  add("Semel-Dispatch-Id", order.ids.internal);
  add("Semel-External-Id", order.ids.external);
  add("Semel-Attempt", std::to_string(order.lease.execution.attempt));
  if (!spec.traceparent.empty()) add("traceparent", spec.traceparent);
  add("webhook-id", order.ids.external);
  add("webhook-timestamp", domain::webhook_timestamp(sent_at));
  const std::vector<std::string>& keys = signer.keys_for(spec.tenant, spec.queue);
  if (keys.empty()) return request;
  request.headers.emplace_back("webhook-signature",
                               domain::webhook_signature(keys, {order.ids.external, sent_at, request.body}));
  return request;
}

}  // namespace semel::dispatch
