#include "server/instance.hpp"

#include <stdexcept>
#include <utility>

#include "api/codec/template_document.hpp"
#include "server/template_folder.hpp"

namespace semel::server {
namespace {

engine::EngineOptions engine_options(const InstanceOptions& options) {
  engine::EngineOptions made;
  made.commits = options.commits;
  made.read_template = [](const std::string& document) { return codec::decode_template_json(document); };
  return made;
}

}  // namespace

Instance::Instance(InstanceOptions options, const Clock& clock, const Authenticator& authenticator)
    : store_(options.file, clock, options.sqlite),
      engine_(store_, engine_options(options)),
      app_(engine_, authenticator),
      http_(options.http, app_) {
  if (Result<void> put = put_templates(engine_, std::move(options.templates)); !put) {
    throw std::runtime_error("the templates could not be stored: " + put.error().message);
  }
  http_.start();
}

Instance::~Instance() { stop(10s); }

void Instance::stop(Duration grace) {
  engine_.stop_waiting();  // long polls and waits are answered at once, with what is there
  http_.stop(grace);
}

}  // namespace semel::server
