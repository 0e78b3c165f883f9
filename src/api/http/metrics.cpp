#include "api/http/routes.hpp"

namespace semel::http {

void get_metrics(Call call) {
  Result<std::string> text = call.engine.metrics_text(call.principal);
  if (!text) return call.to.refuse(text.error());
  call.to.respond({200, *std::move(text), "text/plain; version=0.0.4; charset=utf-8", {}});
}

}  // namespace semel::http
