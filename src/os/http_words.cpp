// The small grammars of HTTP, and the twin.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/base.h"
#include "os/http.h"

namespace steelyard::os {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Url> parse_url(std::string_view text) {
  Url url;
  if (starts_with_icase(text, "https://")) {
    url.tls = true;
    text.remove_prefix(8);
  } else if (starts_with_icase(text, "http://")) {
    text.remove_prefix(7);
  } else {
    return std::nullopt;
  }
  const auto unsafe = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 127; };
  if (std::ranges::any_of(text, unsafe)) return std::nullopt;
  const std::size_t slash = std::min(text.find_first_of("/?#"), text.size());
  std::string_view authority = text.substr(0, slash);
  std::string_view target = text.substr(slash);
  target = target.substr(0, target.find('#'));
  if (authority.find('@') != std::string_view::npos) return std::nullopt;
  url.port = url.tls ? "443" : "80";
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    url.port = authority.substr(colon + 1);
    const auto port = whole_number(url.port);
    if (!port || *port == 0 || *port > 65535) return std::nullopt;
    authority = authority.substr(0, colon);
  }
  if (authority.starts_with('[') && authority.ends_with(']')) {
    authority = authority.substr(1, authority.size() - 2);
  }
  url.host = lower(authority);
  if (url.host.empty()) return std::nullopt;
  url.target = target.empty() ? "/" : target.starts_with('/') ? "" : "/";
  url.target += target;
  if (target.empty()) url.target = "/";
  return url;
}

std::optional<Url> resolve_url(const Url& base, std::string_view location) {
  if (location.starts_with("//")) {
    return parse_url((base.tls ? "https:" : "http:") + std::string(location));
  }
  if (location.find("://") != std::string_view::npos) return parse_url(location);
  const bool six = base.host.find(':') != std::string::npos;
  const std::string origin = fmt::format("{}://{}{}{}:{}", base.tls ? "https" : "http",
                                         six ? "[" : "", base.host, six ? "]" : "", base.port);
  if (location.starts_with('/')) return parse_url(origin + std::string(location));
  const std::string path = base.target.substr(0, base.target.find('?'));
  return parse_url(origin + path.substr(0, path.rfind('/') + 1) + std::string(location));
}

bool bypasses_proxy(std::string_view no_proxy, std::string_view host) {
  for (std::string_view item : split(no_proxy, ',')) {
    item = trim(item);
    if (item == "*") return true;
    if (item.starts_with('.')) item.remove_prefix(1);
    if (item.empty()) continue;
    if (host == item || (host.ends_with(item) && host[host.size() - item.size() - 1] == '.')) {
      return true;
    }
  }
  return false;
}

void read_content_range(std::string_view text, HttpResponse& response) {
  if (!starts_with_icase(text, "bytes ")) return;
  text = trim(text.substr(6));
  const std::size_t dash = text.find('-'), slash = text.find('/');
  if (slash == std::string_view::npos) return;
  if (dash < slash) response.range_first = whole_number(text.substr(0, dash));
  response.total = whole_number(text.substr(slash + 1));
}

std::vector<HttpResult> HttpTwin::get(const std::vector<HttpRequest>& requests) {
  std::vector<HttpResult> results;
  for (const HttpRequest& request : requests) {
    calls.push_back(request.range ? fmt::format("GET {} {}+{}", request.url, request.range->first,
                                                request.range->length)
                                  : "GET " + request.url);
    const auto found = answers.find(request.url);
    if (found == answers.end()) {
      results.emplace_back(HttpResponse{404, {}, {}, false, {}, {}, request.url});
      continue;
    }
    results.push_back(found->second);
    if (!results.back()) continue;
    HttpResponse& answer = *results.back();
    answer.url = request.url;
    if (request.range && answer.status == 200 && !ignores_ranges) {
      const std::uint64_t first = std::min<std::uint64_t>(request.range->first, answer.body.size());
      answer.total = answer.body.size();
      answer.range_first = first;
      answer.status = 206;
      answer.body = answer.body.substr(first, request.range->length);
    }
    if (answer.body.size() > request.cap) {
      answer.body.resize(request.cap);
      answer.capped = true;
    }
  }
  return results;
}

}  // namespace steelyard::os
