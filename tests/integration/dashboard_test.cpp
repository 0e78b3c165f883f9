#include <regex>
#include <set>

#include "api/http/asset.hpp"
#include "tests/support/server_fixture.hpp"

/// The files of the dashboard: what the server says of them, and that they stand in nobody's way. What they do in a
/// browser is tested in dashboard/test.
namespace semel::test {
namespace {

class Dashboard : public ServerFixture {
 protected:
  HttpAnswer load(const std::string& path, const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    return ask({"GET", path, "", "", headers});
  }
  static const http::Asset& some_script() {
    for (const http::Asset& asset : http::dashboard_assets())
      if (asset.path.ends_with(".js") && !asset.gzip.empty()) return asset;
    throw std::runtime_error("the dashboard has no script");
  }
};

TEST_F(Dashboard, EveryPageIsTheSameFileAndNeedsNoKey) {
  const std::string first = load("/").body;

  EXPECT_NE(first.find("<title>Semel</title>"), std::string::npos);
  for (const char* path : {"/ui", "/ui/", "/ui/tasks", "/ui/tasks/019bddae-b818-7d82-b7c5-bd42e5db27fc?x=1",
                           "/ui/no/such/page", "/ui/index.html"}) {
    const HttpAnswer answer = load(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.headers.at("content-type"), "text/html; charset=utf-8") << path;
    EXPECT_EQ(answer.body, first) << path;
  }
}

TEST_F(Dashboard, ThePageNamesOnlyFilesThatAreThere) {
  const std::string page = load("/").body;
  const std::regex reference(R"rx((?:src|href)="([^"]*)")rx");
  int found = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), reference), end; at != end; ++at, ++found) {
    const HttpAnswer answer = load((*at)[1]);
    EXPECT_EQ(answer.status, 200) << (*at)[1];
    EXPECT_NE(answer.headers.at("content-type"), "text/html; charset=utf-8") << (*at)[1];
  }
  EXPECT_GE(found, 3);
  EXPECT_EQ(page.find("<style"), std::string::npos) << "the policy would forbid it";
  EXPECT_FALSE(std::regex_search(page, std::regex("<script(?![^>]*src=)"))) << "the policy would forbid it";
}

TEST_F(Dashboard, NothingButItsOwnFilesMayBeLoadedAndNobodyMayFrameIt) {
  for (const std::string& path : {std::string("/"), std::string(some_script().path)}) {
    HttpAnswer answer = load(path);
    const std::string policy = answer.headers["content-security-policy"];
    EXPECT_TRUE(policy.starts_with("default-src 'none';")) << path;
    EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(policy.find("http"), std::string::npos);
    EXPECT_EQ(answer.headers["x-content-type-options"], "nosniff");
    EXPECT_EQ(answer.headers["x-frame-options"], "DENY");
    EXPECT_EQ(answer.headers["referrer-policy"], "no-referrer");
  }
}

TEST_F(Dashboard, EachFileHasTheTypeOfItsName) {
  std::set<std::string> types;
  for (const http::Asset& asset : http::dashboard_assets()) {
    const HttpAnswer answer = load(std::string(asset.path));
    EXPECT_EQ(answer.status, 200) << asset.path;
    EXPECT_EQ(answer.headers.at("content-type"), asset.content_type) << asset.path;
    EXPECT_EQ(answer.body, asset.plain) << asset.path;
    types.insert(answer.headers.at("content-type"));
  }
  EXPECT_EQ(types, (std::set<std::string>{"text/html; charset=utf-8", "text/javascript; charset=utf-8",
                                          "text/css; charset=utf-8", "image/svg+xml", "font/woff2"}));
}

TEST_F(Dashboard, AFileWhoseNameChangesWithItIsKeptForGood) {
  EXPECT_EQ(load(std::string(some_script().path)).headers.at("cache-control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(load("/").headers.at("cache-control"), "no-cache");
  EXPECT_EQ(load("/ui/favicon.svg").headers.at("cache-control"), "no-cache");
}

TEST_F(Dashboard, WhoHasAFileAlreadyIsToldSo) {
  const HttpAnswer first = load("/ui/tasks");
  const std::string tag = first.headers.at("etag");
  ASSERT_TRUE(std::regex_match(tag, std::regex("\"[0-9a-f]{32}\""))) << tag;

  for (const std::string& known : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    const HttpAnswer again = load("/ui/tasks", {{"If-None-Match", known}});
    EXPECT_EQ(again.status, 304) << known;
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(again.headers.at("etag"), tag);
  }
  EXPECT_EQ(load("/ui/tasks", {{"If-None-Match", "\"other\""}}).status, 200);
}

TEST_F(Dashboard, IsPackedForWhoCanUnpackIt) {
  const http::Asset& script = some_script();
  const std::string path(script.path);

  const HttpAnswer packed = load(path, {{"Accept-Encoding", "gzip, br"}});
  const HttpAnswer plain = load(path, {{"Accept-Encoding", "identity"}});

  EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
  EXPECT_EQ(packed.body, script.gzip);
  EXPECT_TRUE(packed.body.starts_with("\x1f\x8b"));
  EXPECT_LT(packed.body.size(), plain.body.size());
  EXPECT_FALSE(plain.headers.contains("content-encoding"));
  for (const HttpAnswer& answer : {packed, plain}) EXPECT_EQ(answer.headers.at("vary"), "Accept-Encoding");
}

TEST_F(Dashboard, AFileThatIsNotThereIsNoPage) {
  const HttpAnswer answer = load("/ui/assets/old-1234.js");

  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.json()["error"]["code"], "NOT_FOUND");
  EXPECT_EQ(load("/ui/assets/../../etc/passwd").status, 404);
}

TEST_F(Dashboard, ShadowsNoRouteOfTheApi) {
  EXPECT_EQ(load("/healthz").json()["status"], "ok");
  EXPECT_EQ(load("/v1/tasks").status, 401);
  EXPECT_EQ(load("/uix").status, 404);
  EXPECT_EQ(load("/tasks").status, 404);
  for (const char* method : {"POST", "PUT", "DELETE"}) {
    EXPECT_EQ(ask({method, "/", "admin"}).status, 404) << method;
    EXPECT_EQ(ask({method, "/ui/tasks", "admin"}).status, 404) << method;
  }
}

/// What a browser loads before it can show the first page, and all that the overview needs.
TEST_F(Dashboard, IsSmall) {
  std::size_t first = 0, all = 0;
  const std::string page = load("/").body;
  for (const http::Asset& asset : http::dashboard_assets()) {
    const std::size_t bytes = asset.gzip.empty() ? asset.plain.size() : asset.gzip.size();
    const bool is_font = asset.content_type == "font/woff2";
    all += bytes;
    if (is_font || page.find(asset.path) != std::string::npos) first += bytes;
  }
  EXPECT_GT(first, 10'000u) << "the search is broken";
  EXPECT_LT(first, 250u * 1024);
  EXPECT_LT(all, 400u * 1024);
}

}  // namespace
}  // namespace semel::test
