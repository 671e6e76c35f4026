#include <gtest/gtest.h>

#include "os/os.h"

namespace steelyard::os {
namespace {

TEST(Http, ReadsAddresses) {
  struct {
    std::string_view text, host, port, target;
  } const good[] = {
      {"http://a.b/c?d#e", "a.b", "80", "/c?d"},
      {"https://HUB.example", "hub.example", "443", "/"},
      {"http://127.0.0.1:8080/x", "127.0.0.1", "8080", "/x"},
      {"http://[::1]:9/x", "::1", "9", "/x"},
      {"https://a?b=c", "a", "443", "/?b=c"},
  };
  for (const auto& row : good) {
    const auto url = parse_url(row.text);
    ASSERT_TRUE(url) << row.text;
    EXPECT_EQ(url->host, row.host) << row.text;
    EXPECT_EQ(url->port, row.port) << row.text;
    EXPECT_EQ(url->target, row.target) << row.text;
  }
  for (const std::string_view bad :
       {"", "ftp://a/b", "http://", "http://a:0/", "http://a:65536/", "http://a:b/", "a/b",
        "http://user:word@a/", "http://a/b c", "http://a/b\r\nHost: evil", "file:///etc/passwd"}) {
    EXPECT_FALSE(parse_url(bad)) << bad;
  }
}

TEST(Http, FollowsLocations) {
  const Url base = *parse_url("https://a:444/x/y?z");
  EXPECT_EQ(resolve_url(base, "/q")->origin(), "https://a:444");
  EXPECT_EQ(resolve_url(base, "q")->target, "/x/q");
  EXPECT_EQ(resolve_url(base, "//b/q")->origin(), "https://b:443");
  EXPECT_EQ(resolve_url(base, "http://c/")->origin(), "http://c:80");
  EXPECT_FALSE(resolve_url(base, "gopher://c/"));
}

TEST(Http, KnowsWhoNeedsNoProxy) {
  EXPECT_TRUE(bypasses_proxy("localhost,127.0.0.1", "127.0.0.1"));
  EXPECT_TRUE(bypasses_proxy(" .example.com ", "hub.example.com"));
  EXPECT_TRUE(bypasses_proxy("*", "a"));
  EXPECT_FALSE(bypasses_proxy("example.com", "notexample.com"));
  EXPECT_FALSE(bypasses_proxy("", "a"));
}

TEST(Http, ReadsContentRange) {
  HttpResponse r;
  read_content_range("bytes 5-99/1234", r);
  EXPECT_EQ(r.range_first, 5u);
  EXPECT_EQ(r.total, 1234u);
  for (const std::string_view bad :
       {"", "bytes", "bytes 0-1", "bytes 0-1/*", "items 0-1/2", "bytes 0-1/99999999999999999999"}) {
    HttpResponse none;
    read_content_range(bad, none);
    EXPECT_FALSE(none.total) << bad;
  }
}

TEST(Http, RefusesWhatIsNoAddressWithoutANetwork) {
  const auto client = real_http({});
  const auto results = client->get({{.url = "ftp://x/"}, {.url = "http://127.0.0.1:1/"}});
  ASSERT_EQ(results.size(), 2u);
  ASSERT_FALSE(results[0]);
  EXPECT_EQ(results[0].error().trouble, HttpTrouble::bad_url);
  ASSERT_FALSE(results[1]);
  EXPECT_EQ(results[1].error().trouble, HttpTrouble::connect);
}

}  // namespace
}  // namespace steelyard::os
