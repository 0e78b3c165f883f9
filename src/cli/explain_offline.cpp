#include "cli/explain_offline.hpp"

#include "api/codec/answers.hpp"
#include "api/codec/submission.hpp"
#include "base/json/writer.hpp"
#include "base/uuid7_source.hpp"
#include "cli/client.hpp"
#include "cli/template_file.hpp"
#include "domain/names.hpp"

namespace semel::cli {
namespace {

/// The body with the template's names in it, which the command line does not repeat.
std::string with_names(const domain::Template& template_, const std::string& body) {
  json::Writer names;
  names.begin_object().string("namespace", template_.namespace_).string("name", template_.name);
  names.string("version", template_.version);
  return names.text() + "," + body.substr(1);
}

}  // namespace

Result<std::string> explain_offline(const std::string& file, const std::string& tenant, const std::string& body) {
  if (Result<void> fits = domain::check_name("--tenant", tenant); !fits) return pass_on(fits.error());
  const Result<TemplateFile> read = read_template_file(file);
  if (!read) return pass_on(read.error());
  Result<domain::Submission> submission = codec::decode_submission(with_names(read->template_, body), std::nullopt);
  if (!submission) return pass_on(submission.error());
  const std::string canonical = submission->canonical_context;
  const domain::Principal principal{tenant, "offline", domain::all_permissions};
  const Time now = current_time();
  Uuid7Source ids(secure_random);
  Result<domain::Plan> plan =
      domain::plan(*std::move(submission), {principal, &read->template_, {}, {ids.next(now)}, now});
  if (!plan) return pass_on(plan.error());
  engine::ExplainView view;
  view.plan = *std::move(plan);
  const std::string whole = codec::encode_explain(view).body;
  json::Writer writer;
  writer.begin_object();
  for (const char* name : {"identity", "reuse", "on_duplicate", "on_payload_mismatch"})
    writer.raw(name, JsonView::parse(whole)[name].raw());
  return writer.raw("canonical_context", json::quote(canonical)).end_object().take();
}

}  // namespace semel::cli
