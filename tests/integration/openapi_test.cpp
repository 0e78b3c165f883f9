#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "api/codec/error.hpp"
#include "api/http/routes.hpp"
#include "tests/support/open_api.hpp"
#include "tests/support/places.hpp"
#include "tests/support/server_fixture.hpp"

/// GET /openapi.json says what the server does, all of it and nothing else. What it answers is in
/// openapi_answers_test.cpp.
namespace semel::test {
namespace {

/// What the server answers without a key, besides its routes.
const std::set<std::string> without_key{"GET /healthz", "GET /readyz", "GET /openapi.json"};

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

const std::filesystem::path source_folder = places::sources;

/// What the expression's first group finds in the C++ files of a folder that contain a word.
std::set<std::string> find_in_sources(const char* folder, std::string_view word, const std::regex& expression) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder / "src" / folder)) {
    const std::string text = read_file(entry.path());
    if (entry.path().extension() != ".cpp" || text.find(word) == std::string::npos) continue;
    for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) found.insert((*at)[1]);
  }
  return found;
}

std::set<std::string> words_of(const std::string& text) {
  const std::regex word("[a-z_]+");
  return {std::sregex_token_iterator(text.begin(), text.end(), word), std::sregex_token_iterator()};
}

class Description : public ServerFixture {
 protected:
  void SetUp() override {
    ServerFixture::SetUp();
    served_ = ask({"GET", "/openapi.json"});
    api_.emplace(served_.json());
  }

  const JsonSchema& schemas() const { return api_->schemas(); }

  std::vector<Operation> built() const {
    std::vector<Operation> found;
    for (const http::Route& route : http::all_routes()) {
      if (const Operation* each = api_->find({std::string(route.method), std::string(route.path)}))
        found.push_back(*each);
    }
    return found;
  }

  /// The codes that a response may carry; none when it is no refusal.
  std::set<std::string> codes_of(const Json& response) const {
    const Json schema =
        schemas().resolve(response.value(Json::json_pointer("/content/application~1json/schema"), Json::object()));
    std::set<std::string> codes;
    for (const Json& kind : schema.value("oneOf", Json::array({schema}))) {
      const Json code =
          schemas().resolve(kind).value(Json::json_pointer("/properties/error/properties/code"), Json::object());
      if (code.contains("const")) codes.insert(code["const"]);
      for (const Json& each : code.value("enum", Json::array())) codes.insert(each);
    }
    return codes;
  }

  /// Puts an object where the schema stands in the whole body.
  using Wrap = std::function<Json(const Json&)>;
  /// Called for each object of a request that has named members.
  using Visit = std::function<void(const Json& schema, const Wrap& wrap)>;

  void walk(const Json& given, const Wrap& wrap, const Visit& visit) const {
    const Json schema = schemas().resolve(given);
    if (schema.contains("items"))
      walk(schema["items"], [&](const Json& each) { return wrap(Json::array({each})); }, visit);
    if (!schema.contains("properties")) return;
    visit(schema, wrap);
    for (const auto& [name, property] : schema["properties"].items()) {
      const auto wrap_member = [&, name = name](const Json& member) {
        Json object = schemas().example(schema);
        object[name] = member;
        return wrap(object);
      };
      walk(property, wrap_member, visit);
    }
  }

  void walk_request(const Operation& operation, const Visit& visit) const {
    if (const Json schema = api_->request_schema(operation); !schema.is_null())
      walk(schema, [](const Json& body) { return body; }, visit);
  }

  std::string answer_to(const Operation& operation, const Json& body) {
    return ask({operation.method, api_->example_path(operation), "admin", body.dump()}).body;
  }

  HttpAnswer served_;
  std::optional<OpenApi> api_;
};

TEST_F(Description, IsServedWithoutAKeyAsItStandsInTheSource) {
  EXPECT_EQ(served_.status, 200);
  EXPECT_EQ(served_.headers["content-type"], "application/json");
  EXPECT_EQ(served_.body, read_file(source_folder / "src/api/http/openapi.json"));
  EXPECT_EQ(schemas().document()["openapi"], "3.1.0");
}

TEST_F(Description, IsOfThisVersion) {
  const std::string version = schemas().document()["info"]["version"];

  EXPECT_NE(read_file(source_folder / "CMakeLists.txt").find("project(semel VERSION " + version + " "),
            std::string::npos);
}

TEST_F(Description, HasEveryRouteAndNoOther) {
  std::set<std::string> documented, served = without_key;
  for (const Operation& each : api_->operations()) documented.insert(each.name());
  for (const http::Route& each : http::all_routes())
    served.insert(std::string(each.method) + " " + std::string(each.path));

  for (const std::string& each : served) {
    EXPECT_TRUE(documented.contains(each)) << each << " is not in src/api/http/openapi.json";
  }
  for (const std::string& each : documented)
    EXPECT_TRUE(served.contains(each)) << each << " is documented, and not served";
}

TEST_F(Description, NamesWhatNeedsNoKey) {
  for (const Operation& each : api_->operations()) {
    const bool is_open = each.body.contains("security") && each.body["security"].empty();
    EXPECT_EQ(is_open, without_key.contains(each.name())) << each.name();
  }
  for (const std::string& each : without_key) EXPECT_EQ(ask({"GET", each.substr(4)}).status, 200) << each;
}

TEST_F(Description, SaysWhichRoutesTakeABody) {
  for (const http::Route& route : http::all_routes()) {
    const Operation* operation = api_->find({std::string(route.method), std::string(route.path)});
    ASSERT_NE(operation, nullptr) << route.path;
    EXPECT_EQ(operation->body.contains("requestBody"), route.body != http::Body::none) << operation->name();
    if (route.body == http::Body::none) continue;
    EXPECT_EQ(operation->body["requestBody"]["content"].contains("application/yaml"),
              route.body == http::Body::json_or_yaml)
        << operation->name();
  }
}

TEST_F(Description, HasTheParametersOfEachPath) {
  const std::regex part(R"(\{([^}]*)\})");
  for (const Operation& each : api_->operations()) {
    std::set<std::string> parts, named;
    for (std::sregex_iterator at(each.path.begin(), each.path.end(), part), end; at != end; ++at)
      parts.insert((*at)[1]);
    for (const Json& parameter : api_->parameters(each, "path")) named.insert(parameter["name"]);
    EXPECT_EQ(parts, named) << each.name();
  }
}

TEST_F(Description, HasEveryErrorCodeWithItsStatus) {
  std::map<std::string, int> known, documented;
  for (int code = 0; code <= static_cast<int>(ErrorCode::unavailable); ++code) {
    known[std::string(codec::wire_name(static_cast<ErrorCode>(code)))] =
        codec::http_status(static_cast<ErrorCode>(code));
  }
  for (const Json& each : schemas().document()["components"]["schemas"]["ErrorCode"]["oneOf"])
    documented[each["const"]] = each["x-status"];

  EXPECT_EQ(documented, known);
}

TEST_F(Description, HasEachCodeInTheAnswersOfItsStatusOnly) {
  std::map<std::string, int> status_of;
  for (const Json& each : schemas().document()["components"]["schemas"]["ErrorCode"]["oneOf"])
    status_of[each["const"]] = each["x-status"];
  std::set<std::string> answered;

  for (const Operation& operation : api_->operations()) {
    for (const auto& [status, unused] : operation.body["responses"].items()) {
      for (const std::string& code : codes_of(api_->response(operation, status))) {
        const bool fits = status == "default" || std::to_string(status_of[code]) == status;
        EXPECT_TRUE(fits) << operation.name() << " has " << code << " under " << status;
        answered.insert(code);
      }
    }
  }

  for (const auto& [code, unused] : status_of) EXPECT_TRUE(answered.contains(code)) << code;
}

TEST_F(Description, NamesOnlyRequestFieldsThatAreTaken) {
  for (const Operation& operation : built()) {
    walk_request(operation, [&](const Json& schema, const Wrap& wrap) {
      for (const auto& [name, property] : schema["properties"].items()) {
        Json object = schemas().example(schema);
        object[name] = schemas().example(property);
        const Json body = wrap(object);

        const std::string answer = answer_to(operation, body);

        EXPECT_EQ(answer.find("unknown field"), std::string::npos) << operation.name() << " " << body << "\n" << answer;
        EXPECT_EQ(answer.find("NOT_SUPPORTED_YET") != std::string::npos, property.contains("x-not-supported-yet"))
            << operation.name() << " " << body << "\n"
            << answer;
      }
    });
  }
}

TEST_F(Description, LeavesNoRequestFieldOpen) {
  for (const Operation& operation : built()) {
    walk_request(operation, [&](const Json& schema, const Wrap& wrap) {
      Json object = schemas().example(schema);
      object["no_such_field"] = 1;

      const std::string answer = answer_to(operation, wrap(object));

      EXPECT_EQ(schema.value("additionalProperties", true), false) << operation.name() << " " << schema;
      EXPECT_NE(answer.find("unknown field '"), std::string::npos) << operation.name() << " " << object << "\n"
                                                                   << answer;
    });
  }
}

/// A name with a letter too many is asked for everywhere: "did you mean" tells where the server knows it.
TEST_F(Description, HasEveryFieldThatADecoderKnowsWhereItIsKnown) {
  const auto names = find_in_sources("api/codec", "FieldTable<", std::regex(R"rx(\{"([a-z_]+)",\s)rx"));
  std::set<std::string> known;

  for (const Operation& operation : built()) {
    walk_request(operation, [&](const Json& schema, const Wrap& wrap) {
      for (const std::string& name : names) {
        Json object = schemas().example(schema);
        object[name + "_"] = 1;
        if (answer_to(operation, wrap(object)).find("did you mean '" + name + "'") == std::string::npos) continue;
        EXPECT_TRUE(schema["properties"].contains(name)) << operation.name() << " takes " << name << " in " << object;
        known.insert(name);
      }
    });
  }

  EXPECT_EQ(known, names) << "the left are those that a decoder takes, the right those found in src/api/codec";
}

TEST_F(Description, HasEveryFieldThatATemplateMayHave) {
  const Json base{{"namespace", "shop"}, {"name", "charge"}, {"version", "1.0.0"}};
  const auto known_to = [&](const Json& more) {
    Json document = base;
    document.update(more);
    const std::string message = ask({"PUT", "/v1/templates", "admin", document.dump()}).message();
    return words_of(message.substr(std::min(message.size(), message.find("known are ") + 10)));
  };

  const std::map<std::string, std::set<std::string>> cases{
      {"Template", known_to({{"no_such_field", 1}})},
      {"TemplateIdentity", known_to({{"identity", {{"no_such_field", 1}}}})}};

  for (const auto& [schema, known] : cases) {
    EXPECT_GT(known.size(), 5u) << schema;
    const Json& properties = schemas().document()["components"]["schemas"][schema]["properties"];
    for (const std::string& each : known) EXPECT_TRUE(properties.contains(each)) << schema << " lacks " << each;
  }
}

TEST_F(Description, NamesTheQueryParametersThatAreTakenAndNoOther) {
  for (const Operation& operation : built()) {
    const std::string path = api_->example_path(operation);
    for (const Json& parameter : api_->parameters(operation, "query")) {
      const Json value = schemas().example(parameter["schema"]);
      const std::string text = value.is_string() ? value.get<std::string>() : value.is_array() ? "a=b" : value.dump();
      const std::string query = "?" + parameter["name"].get<std::string>() + "=" + text;

      // Each on a connection of its own: a stream of events would not end.
      EXPECT_EQ(connect().ask({operation.method, path + query, "admin"}).message().find("unknown query parameter"),
                std::string::npos)
          << operation.name() << query;
    }
    EXPECT_NE(ask({operation.method, path + "?no_such=1", "admin"}).message().find("unknown query parameter 'no_such'"),
              std::string::npos)
        << operation.name();
  }
}

TEST_F(Description, HasEveryQueryParameterThatAHandlerKnows) {
  std::set<std::string> documented, known;
  for (const Operation& operation : api_->operations())
    for (const Json& parameter : api_->parameters(operation, "query")) documented.insert(parameter["name"]);
  for (const std::string& list :
       find_in_sources("api/http", "check_query", std::regex(R"(check_query\([^,]+, \{([^}]*)\})")))
    known.merge(words_of(list));

  EXPECT_TRUE(known.contains("wait") && known.contains("force")) << "the search is broken";
  for (const std::string& each : known) EXPECT_TRUE(documented.contains(each)) << each << " is not documented";
}

}  // namespace
}  // namespace semel::test
