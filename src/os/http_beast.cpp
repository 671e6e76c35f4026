// The real HTTP client. Beast compiles slowly and throws: both stay inside this file.
#include <utility>  // Asio of Boost 1.74 uses std::exchange without naming its header

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include <fmt/format.h>

#include <sys/stat.h>

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <limits>
#include <mutex>
#include <thread>

#include "base/base.h"
#include "os/http.h"

namespace steelyard::os {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;
using Failed = std::optional<HttpFailure>;

constexpr int kRedirects = 5;
constexpr std::uint32_t kHeaderBytes = 64 * 1024;

std::optional<std::string> variable(const HttpSettings& settings, std::string_view name) {
  if (!settings.environment) return std::nullopt;
  auto value = settings.environment(name);
  if (!value || value->empty()) value = settings.environment(lower(name));
  return value && !value->empty() ? value : std::nullopt;
}

struct Proxy {
  Url url;
  std::string authorization;  // "Basic ...", or empty
};

// "user:password" as the header's value (RFC 7617); %-escapes are how a URL holds other characters.
std::string basic_authorization(std::string_view user) {
  std::string plain;
  for (std::size_t i = 0; i < user.size(); ++i) {
    unsigned value = 0;
    const char* const digits = user.data() + i + 1;
    const bool escaped = user[i] == '%' && i + 2 < user.size() &&
                         std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    plain += escaped ? static_cast<char>(value) : user[i];
    if (escaped) i += 2;
  }
  std::string coded(4 * ((plain.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()),
                                     reinterpret_cast<const unsigned char*>(plain.data()),
                                     static_cast<int>(plain.size()));
  coded.resize(static_cast<std::size_t>(length));
  return "Basic " + coded;
}

// A proxy that cannot be used is an error: going past it is what nobody asked for.
std::expected<std::optional<Proxy>, HttpFailure> proxy_for(const HttpSettings& settings,
                                                           const Url& url) {
  if (bypasses_proxy(variable(settings, "NO_PROXY").value_or(""), url.host)) return std::nullopt;
  auto text = variable(settings, url.tls ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (!text) text = variable(settings, "ALL_PROXY");
  if (!text) return std::nullopt;
  if (text->find("://") == std::string::npos) text = "http://" + *text;
  Proxy proxy;
  const std::size_t start = text->find("://") + 3;
  const std::size_t at = text->substr(0, text->find('/', start)).rfind('@');
  if (at != std::string::npos && at >= start && at - start < 1000) {
    proxy.authorization = basic_authorization(std::string_view(*text).substr(start, at - start));
    text->erase(start, at + 1 - start);
  }
  const auto address = parse_url(*text);
  if (!address || address->tls) {
    return std::unexpected(HttpFailure{HttpTrouble::proxy, url.host,
                                       "the variable names no http:// proxy, the one kind known"});
  }
  proxy.url = *address;
  return proxy;
}

std::string host_field(const Url& url) {
  const std::string host =
      url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
  return url.port == (url.tls ? "443" : "80") ? host : host + ":" + url.port;
}

HttpTrouble trouble_of(const beast::error_code& code, HttpTrouble otherwise) {
  if (code == beast::error::timeout || code == asio::error::timed_out) return HttpTrouble::timeout;
  if (code == http::error::end_of_stream || code == http::error::partial_message ||
      code == asio::error::eof || code == asio::error::connection_reset ||
      code == asio::ssl::error::stream_truncated || code == asio::error::broken_pipe) {
    return otherwise == HttpTrouble::protocol ? HttpTrouble::cut_off : otherwise;
  }
  return otherwise;
}

// The certificates that are trusted, read when the first TLS connection needs them.
class Trust {
 public:
  explicit Trust(const HttpSettings& settings) : settings_(settings) {}

  asio::ssl::context& context() {
    std::call_once(once_, [this] { load(); });
    return *context_;
  }

 private:
  // A static OpenSSL looks where it was built: the distributions' own places are tried as well.
  void load() {
    context_.emplace(asio::ssl::context::tls_client);
    context_->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                          asio::ssl::context::no_tlsv1_1);
    beast::error_code code;
    if (const auto given = variable(settings_, "SSL_CERT_FILE")) {
      context_->load_verify_file(*given, code);
      return;
    }
    for (const char* path :
         {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
          "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
      struct stat info{};
      if (::stat(path, &info) != 0) continue;
      context_->load_verify_file(path, code);
      if (!code) return;
    }
    context_->set_default_verify_paths(code);
  }

  const HttpSettings& settings_;
  std::once_flag once_;
  std::optional<asio::ssl::context> context_;
};

// One type for what ends every step: each further one would compile all of Beast's operations
// again.
struct Done {
  beast::error_code* result;
  template <typename... Rest>
  void operator()(const beast::error_code& code, Rest&&...) const {
    *result = code;
  }
};

// One connection at a time, kept alive between requests to the same origin.
class Worker {
 public:
  Worker(const HttpSettings& settings, Trust& trust)
      : settings_(settings), trust_(trust), patience_(settings.timeout_seconds) {}

  HttpResult fetch(const HttpRequest& request) {
    auto url = parse_url(request.url);
    if (!url) return std::unexpected(HttpFailure{HttpTrouble::bad_url, request.url, "not a URL"});
    const std::string first = url->origin();
    // A server that sends a byte now and then would renew the patience of every step.
    deadline_ = std::chrono::steady_clock::now() + 4 * patience_;
    for (int hop = 0; hop <= kRedirects; ++hop) {
      HttpResult answer = exchange(*url, request, url->origin() == first);
      if (!answer) return answer;
      const std::string location = answer->header("location");
      const int s = answer->status;
      if ((s != 301 && s != 302 && s != 303 && s != 307 && s != 308) || location.empty()) {
        return answer;
      }
      const auto next = resolve_url(*url, location);
      // A page fetched safely does not go on in the clear.
      if (!next || (url->tls && !next->tls)) {
        return std::unexpected(
            HttpFailure{HttpTrouble::redirects, url->host, "it redirects to no safe address"});
      }
      url = next;
    }
    return std::unexpected(HttpFailure{HttpTrouble::redirects, url->host,
                                       fmt::format("more than {} redirects", kRedirects)});
  }

 private:
  // Runs one asynchronous step to its end: only these obey Beast's time limits.
  template <typename Start>
  beast::error_code step(Start start) {
    beast::error_code result = asio::error::operation_aborted;
    lowest().expires_at(std::min(std::chrono::steady_clock::now() + patience_, deadline_));
    start(Done{&result});
    context_.restart();
    context_.run();
    return result;
  }

  Plain& lowest() { return secure_ ? beast::get_lowest_layer(*secure_) : *plain_; }

  void drop() {
    beast::error_code ignored;
    if (secure_ || plain_) lowest().socket().close(ignored);
    secure_.reset();
    plain_.reset();
    buffer_.clear();
    origin_.clear();
  }

  HttpFailure failure(const Url& url, HttpTrouble trouble, const beast::error_code& code) {
    return {trouble_of(code, trouble), url.host, code.message()};
  }

  Failed resolve(const Url& at, tcp::resolver::results_type& found) {
    tcp::resolver resolver(context_);
    beast::error_code result = asio::error::timed_out;
    resolver.async_resolve(at.host, at.port, [&](const beast::error_code& code, auto results) {
      result = code;
      found = std::move(results);
    });
    context_.restart();
    context_.run_for(patience_);
    if (result) {
      resolver.cancel();
      context_.restart();
      context_.run();
      return HttpFailure{result == asio::error::timed_out ? HttpTrouble::timeout : HttpTrouble::dns,
                         at.host, result.message()};
    }
    return std::nullopt;
  }

  Failed connect(const Url& url) {
    drop();
    const auto found_proxy = proxy_for(settings_, url);
    if (!found_proxy) return found_proxy.error();
    const std::optional<Proxy>& proxy = *found_proxy;
    const Url& at = proxy ? proxy->url : url;
    proxy_authorization_ = proxy ? proxy->authorization : "";
    tcp::resolver::results_type found;
    if (auto bad = resolve(at, found)) return bad;
    if (url.tls) {
      secure_.emplace(context_, trust_.context());
    } else {
      plain_.emplace(context_);
    }
    auto code = step([&](Done done) { lowest().async_connect(found, done); });
    if (code) {
      return failure(at, proxy ? HttpTrouble::proxy : HttpTrouble::connect, code);
    }
    lowest().socket().set_option(tcp::no_delay(true), code);
    through_proxy_ = proxy.has_value() && !url.tls;
    if (url.tls) {
      if (proxy) {
        if (auto bad = tunnel(url)) return bad;
      }
      if (auto bad = handshake(url)) return bad;
    }
    origin_ = url.origin();
    return std::nullopt;
  }

  Failed tunnel(const Url& url) {
    const std::string target = fmt::format("{}:{}", host_field(url), url.port);
    const std::string to = url.port == "443" ? target : host_field(url);
    http::request<http::empty_body> ask{http::verb::connect, to, 11};
    ask.set(http::field::host, to);
    if (!proxy_authorization_.empty()) {
      ask.set(http::field::proxy_authorization, proxy_authorization_);
    }
    auto code = step([&](Done done) { http::async_write(lowest(), ask, done); });
    http::response_parser<http::empty_body> parser;
    parser.skip(true);
    parser.header_limit(kHeaderBytes);
    if (!code) {
      code = step([&](Done done) { http::async_read_header(lowest(), buffer_, parser, done); });
    }
    buffer_.clear();
    if (code) return failure(url, HttpTrouble::proxy, code);
    if (parser.get().result_int() != 200) {
      return HttpFailure{HttpTrouble::proxy, url.host,
                         fmt::format("the proxy answered {}", parser.get().result_int())};
    }
    return std::nullopt;
  }

  Failed handshake(const Url& url) {
    beast::error_code code;
    SSL* const native = secure_->native_handle();
    const bool address = (asio::ip::make_address(url.host, code), !code);
    if (!address) SSL_set_tlsext_host_name(native, url.host.c_str());
    secure_->set_verify_mode(asio::ssl::verify_peer);
    X509_VERIFY_PARAM* const checks = SSL_get0_param(native);
    const int set = address ? X509_VERIFY_PARAM_set1_ip_asc(checks, url.host.c_str())
                            : X509_VERIFY_PARAM_set1_host(checks, url.host.c_str(), 0);
    if (set != 1) return HttpFailure{HttpTrouble::tls, url.host, "the host name is not one"};
    code = step([&](Done done) { secure_->async_handshake(asio::ssl::stream_base::client, done); });
    if (!code) return std::nullopt;
    const long verdict = SSL_get_verify_result(native);
    HttpFailure bad = failure(url, HttpTrouble::tls, code);
    if (verdict != X509_V_OK) bad.detail = X509_verify_cert_error_string(verdict);
    return bad;
  }

  // A kept connection may have been closed meanwhile: then once more on a fresh one.
  HttpResult exchange(const Url& url, const HttpRequest& request, bool with_private) {
    const bool kept = origin_ == url.origin();
    if (!kept) {
      if (auto bad = connect(url)) return give_up(std::move(*bad));
    }
    HttpResult answer = once(url, request, with_private);
    if (answer || !kept || answer.error().trouble == HttpTrouble::timeout) return answer;
    if (auto bad = connect(url)) return give_up(std::move(*bad));
    return once(url, request, with_private);
  }

  HttpResult give_up(HttpFailure bad) {
    drop();
    return std::unexpected(std::move(bad));
  }

  HttpResult once(const Url& url, const HttpRequest& request, bool with_private) {
    http::request<http::empty_body> ask{http::verb::get, url.target, 11};
    if (through_proxy_) {
      ask.target("http://" + host_field(url) + url.target);
      if (!proxy_authorization_.empty()) {
        ask.set(http::field::proxy_authorization, proxy_authorization_);
      }
    }
    ask.set(http::field::host, host_field(url));
    ask.set(http::field::user_agent, "steelyard/" STEELYARD_VERSION);
    ask.set(http::field::accept_encoding, "identity");
    if (request.range) {
      ask.set(http::field::range, fmt::format("bytes={}-{}", request.range->first,
                                              request.range->first + request.range->length - 1));
    }
    if (with_private) {
      for (const auto& [name, value] : request.private_headers) ask.set(name, value);
    }
    return secure_ ? transfer(*secure_, url, ask, request.cap)
                   : transfer(*plain_, url, ask, request.cap);
  }

  template <typename Stream>
  HttpResult transfer(Stream& stream, const Url& url, http::request<http::empty_body>& ask,
                      std::uint64_t cap) {
    auto code = step([&](Done done) { http::async_write(stream, ask, done); });
    if (code) return give_up(failure(url, HttpTrouble::protocol, code));
    http::response_parser<http::buffer_body> parser;
    parser.header_limit(kHeaderBytes);
    // Not boost::none: Boost 1.74 takes that for zero.
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    code = step([&](Done done) { http::async_read_header(stream, buffer_, parser, done); });
    if (code) return give_up(failure(url, HttpTrouble::protocol, code));
    HttpResponse answer;
    answer.status = static_cast<int>(parser.get().result_int());
    answer.url = (url.tls ? "https://" : "http://") + host_field(url) + url.target;
    for (const auto& field : parser.get()) {
      answer.headers[lower(
          std::string_view(field.name_string().data(), field.name_string().size()))] =
          std::string(field.value().data(), field.value().size());
    }
    read_content_range(answer.header("content-range"), answer);
    std::array<char, 32 * 1024> piece;
    while (!parser.is_done()) {
      auto& body = parser.get().body();
      body.data = piece.data();
      body.size = piece.size();
      body.more = true;
      code = step([&](Done done) { http::async_read_some(stream, buffer_, parser, done); });
      if (code == http::error::need_buffer) code = {};
      if (code) return give_up(failure(url, HttpTrouble::protocol, code));
      answer.body.append(piece.data(), piece.size() - body.size);
      if (answer.body.size() > cap || (answer.body.size() == cap && !parser.is_done())) {
        answer.body.resize(static_cast<std::size_t>(cap));
        answer.capped = true;
        drop();  // what follows is not wanted: the connection goes with it
        return answer;
      }
    }
    if (!parser.keep_alive()) drop();
    return answer;
  }

  const HttpSettings& settings_;
  Trust& trust_;
  std::chrono::seconds patience_;
  std::chrono::steady_clock::time_point deadline_;  // of the request in hand, all redirects
  asio::io_context context_{1};
  std::optional<Plain> plain_;
  std::optional<Secure> secure_;
  beast::flat_buffer buffer_;
  std::string origin_;  // of the live connection; empty when there is none
  bool through_proxy_ = false;
  std::string proxy_authorization_;
};

class BeastClient : public HttpClient {
 public:
  explicit BeastClient(HttpSettings settings) : settings_(std::move(settings)) {}

  std::vector<HttpResult> get(const std::vector<HttpRequest>& requests) override {
    std::vector<HttpResult> results(
        requests.size(), std::unexpected(HttpFailure{HttpTrouble::protocol, "", "not asked"}));
    try {
      prepare(requests.size());
      std::atomic<std::size_t> next = 0;
      const auto work = [&](Worker& worker) {
        for (std::size_t i = next++; i < requests.size(); i = next++) {
          try {
            results[i] = worker.fetch(requests[i]);
          } catch (const std::exception& error) {
            results[i] =
                std::unexpected(HttpFailure{HttpTrouble::protocol, requests[i].url, error.what()});
          }
        }
      };
      std::vector<std::jthread> threads;
      const std::size_t many = std::min(workers_.size(), requests.size());
      for (std::size_t i = 1; i < many; ++i) threads.emplace_back(work, std::ref(*workers_[i]));
      if (many > 0) work(*workers_[0]);
    } catch (const std::exception& error) {
      for (HttpResult& result : results) {
        if (!result) result.error().detail = error.what();
      }
    }
    return results;
  }

 private:
  void prepare(std::size_t requests) {
    const std::size_t want = std::min<std::size_t>(settings_.connections, requests);
    while (workers_.size() < want) {
      workers_.push_back(std::make_unique<Worker>(settings_, trust_));
    }
  }

  HttpSettings settings_;
  Trust trust_{settings_};
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<HttpClient> real_http(HttpSettings settings) {
  return std::make_unique<BeastClient>(std::move(settings));
}

}  // namespace steelyard::os
