// HTTP as a port: GET requests in parallel, bounded in bytes and time; a real client and a twin.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::os {

struct HttpRange {
  std::uint64_t first = 0, length = 0;  // bytes
};

struct HttpRequest {
  std::string url;  // http:// or https://
  // Sent to the host of `url` only: a redirect to another host drops them.
  std::vector<std::pair<std::string, std::string>> private_headers;
  std::optional<HttpRange> range;
  std::uint64_t cap = 1 << 20;  // body bytes read at most; more are left unread
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case, of the last answer
  std::string body;
  bool capped = false;                       // the body goes on behind `cap`
  std::optional<std::uint64_t> range_first;  // of Content-Range
  std::optional<std::uint64_t> total;        // whole file, of Content-Range
  std::string url;                           // where the redirects ended

  std::string header(const std::string& lower_name) const {
    const auto found = headers.find(lower_name);
    return found == headers.end() ? std::string() : found->second;
  }
};

enum class HttpTrouble { bad_url, dns, connect, proxy, tls, timeout, cut_off, protocol, redirects };

struct HttpFailure {
  HttpTrouble trouble = HttpTrouble::protocol;
  std::string host;
  std::string detail;  // the library's words
};

using HttpResult = std::expected<HttpResponse, HttpFailure>;

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // One result per request, in their order. Redirects are followed, at most five.
  virtual std::vector<HttpResult> get(const std::vector<HttpRequest>& requests) = 0;
};

struct HttpSettings {
  std::function<std::optional<std::string>(std::string_view)> environment;  // proxies, CA file
  unsigned connections = 12;
  unsigned timeout_seconds = 30;  // of each step: name, connect, TLS, a piece of the answer
};

std::unique_ptr<HttpClient> real_http(HttpSettings settings);

// The twin: answers by URL, and records what was asked ("GET URL first+length").
class HttpTwin : public HttpClient {
 public:
  std::map<std::string, HttpResult> answers;  // full bodies; ranges are cut from them
  bool ignores_ranges = false;
  std::vector<std::string> calls;
  std::vector<HttpResult> get(const std::vector<HttpRequest>& requests) override;
};

struct Url {
  bool tls = false;
  std::string host, port, target;
  std::string origin() const { return (tls ? "https://" : "http://") + host + ":" + port; }
};
// Nothing for any other scheme, for user names, spaces and control characters.
std::optional<Url> parse_url(std::string_view text);
// Location relative to `base`.
std::optional<Url> resolve_url(const Url& base, std::string_view location);
// Whether NO_PROXY's comma-separated list covers the host.
bool bypasses_proxy(std::string_view no_proxy, std::string_view host);
// "bytes 0-99/1234" -> first and total. Total stays empty for "*".
void read_content_range(std::string_view text, HttpResponse& response);

}  // namespace steelyard::os
