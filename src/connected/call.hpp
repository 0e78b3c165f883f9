#pragma once
#include <future>
#include <memory>
#include <utility>

#include "connected/channel.hpp"
#include "connected/refusal.hpp"
#include "connected/under_way.hpp"

namespace semel::connected {

/// One call and what it needs until it is over.
template <typename Request, typename Response>
struct Call {
  grpc::ClientContext context{};
  Request request{};
  Response response{};
};

/// What all calls of a connection share.
struct Calls {
  const Channels& channels;
  UnderWay& under_way;
};

/// Calls `then` once, on a thread of gRPC's. `start` is given what the stub's method takes.
template <typename Response, typename Request, typename Start, typename Then>
void begin_call(const Calls& calls, Request request, Duration time_max, const Start& start, Then then) {
  auto call = std::make_shared<Call<Request, Response>>();
  call->request = std::move(request);
  call->context.set_deadline(std::chrono::system_clock::now() + time_max);
  calls.channels.sign(call->context);
  calls.under_way.add(std::shared_ptr<grpc::ClientContext>(call, &call->context));
  Call<Request, Response>& begun = *call;
  start(&begun.context, &begun.request, &begun.response,
        [call = std::move(call), then = std::move(then), &address = calls.channels.address(),
         &under_way = calls.under_way](const grpc::Status& status) mutable {
          if (status.ok()) then(sdk::Reply<Response>(std::move(call->response)));
          else then(sdk::Reply<Response>(tl::unexpected(refusal_of(status, address))));
          grpc::ClientContext* const context = &call->context;
          under_way.remove(std::shared_ptr<grpc::ClientContext>(std::move(call), context));
        });
}

/// Waits for the answer.
template <typename Response, typename Request, typename Start>
sdk::Reply<Response> call(const Calls& calls, Request request, const Start& start) {
  constexpr Duration time_max = std::chrono::seconds(15);
  const auto answered = std::make_shared<std::promise<sdk::Reply<Response>>>();
  begin_call<Response>(calls, std::move(request), time_max, start,
                       [answered](sdk::Reply<Response> reply) { answered->set_value(std::move(reply)); });
  return answered->get_future().get();
}

/// What an answer means to the SDK.
template <typename T, typename Response, typename Convert>
sdk::Reply<T> reply_of(const sdk::Reply<Response>& response, const Convert& convert) {
  if (!response) return tl::unexpected(response.error());
  return convert(*response);
}

}  // namespace semel::connected
