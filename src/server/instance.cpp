#include "server/instance.hpp"

#include "api/codec/template_document.hpp"

namespace semel::server {
namespace {

engine::EngineOptions engine_options(const InstanceOptions& options) {
  engine::EngineOptions made;
  made.commits = options.commits;
  made.read_template = [](const std::string& document) { return codec::decode_template_json(document); };
  return made;
}

}  // namespace

Instance::Instance(InstanceOptions options, const Clock& clock)
    : store_(options.file, clock, options.sqlite),
      engine_(store_, engine_options(options)),
      keys_(engine_),
      app_(engine_, keys_),
      http_(options.http, app_) {
  if (options.is_public && !engine_.requires_keys()) {
    throw StoreFault(
        "the address can be reached from outside, and there is no API key: listen on 127.0.0.1, or make a key first "
        "with semel key create --store");
  }
  http_.start();
}

Instance::Instance(InstanceOptions options, const Clock& clock, const Authenticator& authenticator)
    : store_(options.file, clock, options.sqlite),
      engine_(store_, engine_options(options)),
      keys_(engine_),
      app_(engine_, authenticator),
      http_(options.http, app_) {
  http_.start();
}

Instance::~Instance() { stop(10s); }

void Instance::stop(Duration grace) {
  engine_.stop_waiting();  // long polls and waits are answered at once, with what is there
  http_.stop(grace);
}

}  // namespace semel::server
