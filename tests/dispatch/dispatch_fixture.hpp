#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dispatch/targets.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/json.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/push_endpoint.hpp"

namespace semel::dispatch {

using test::CurrentReply;
using test::EndpointReply;
using test::EndpointRequest;
using test::ManualClock;
using test::PushEndpoint;
using Act = EndpointReply::Act;
using Json = nlohmann::json;

inline constexpr const char* test_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The first attempt of a task of `acme` on the queue "default".
inline DispatchOrder order_for(const std::string& target, test::Ids& ids) {
  DispatchOrder order;
  order.target = target;
  domain::Execution& task = order.lease.execution;
  task.spec.tenant = test::default_tenant;
  task.spec.id = ids.execution();
  task.spec.handler = test::default_handler;
  task.spec.queue = test::default_queue;
  task.spec.context = R"({"amount":12.50})";
  task.attempt = 1;
  order.lease.attempt_id = ids.attempt();
  order.lease.lease_until = ManualClock::start + 30s;
  order.ids = domain::dispatch_ids(task.spec.id.text(), task.spec.handler, 1);
  order.callback_url = "https://semel.example/v1/dispatches/" + order.ids.external;
  order.token = "sdt1_token";
  order.due = ManualClock::start;
  return order;
}

/// Options with which a test may reach its own endpoints, and does not wait long for what never comes.
inline Options test_options() {
  Options options;
  options.limits.allowed_networks = parse_networks("127.0.0.0/8").value();
  options.now = [] { return ManualClock::start; };
  return options;
}

inline std::future<SendAnswer> begin_send(DispatchTargets& targets, DispatchOrder order) {
  auto answer = std::make_shared<std::promise<SendAnswer>>();
  std::future<SendAnswer> future = answer->get_future();
  targets.send(std::move(order), [answer](SendAnswer given) { answer->set_value(std::move(given)); });
  return future;
}

inline SendAnswer send_and_wait(DispatchTargets& targets, DispatchOrder order) {
  return begin_send(targets, std::move(order)).get();
}

/// The answer if it is of this kind; else the test has failed, and says what it is.
template <typename Kind>
Kind expect_kind(const SendAnswer& answer) {
  static constexpr const char* names[] = {"accepted", "completed", "refused", "later", "unknown"};
  if (const auto* const kind = std::get_if<Kind>(&answer)) return *kind;
  std::string why;
  if (const auto* const refused = std::get_if<SendRefused>(&answer)) why = refused->why;
  if (const auto* const later = std::get_if<SendLater>(&answer)) why = later->why;
  if (const auto* const unknown = std::get_if<SendUnknown>(&answer)) why = unknown->why;
  ADD_FAILURE() << "it is " << names[answer.index()] << ": " << why;
  return {};
}

}  // namespace semel::dispatch
