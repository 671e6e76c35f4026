#include "hub/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace steelyard::hub {
namespace {

// The text of a hostile host goes to a terminal: printable ASCII only, and not much of it.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 120)) out += c >= ' ' && c < 127 ? c : '?';
  return out;
}

// An endpoint may hold a name and a password, which are nobody's business on a screen.
std::string without_secret(std::string_view endpoint) {
  const std::size_t at = endpoint.rfind('@'), scheme = endpoint.find("://");
  if (at == std::string_view::npos) return std::string(endpoint);
  const std::size_t start = scheme == std::string_view::npos || scheme > at ? 0 : scheme + 3;
  return fmt::format("{}***{}", endpoint.substr(0, start), endpoint.substr(at));
}

Error of_network(const os::HttpFailure& failure, const Address& address, const std::string& url) {
  Error error{.kind = ErrorKind::io, .file = url};
  const std::string host = quoted(failure.host), why = quoted(failure.detail);
  const std::string variable = address.model_scope ? "MODELSCOPE_ENDPOINT" : "HF_ENDPOINT";
  switch (failure.trouble) {
    case os::HttpTrouble::bad_url:
      error.kind = ErrorKind::usage;
      error.file = variable;
      error.what = fmt::format("'{}' is not an address", quoted(without_secret(address.endpoint)));
      error.try_this = fmt::format("set {} to http(s)://host[:port]", variable);
      break;
    case os::HttpTrouble::dns:
      error.what = fmt::format("the name {} could not be looked up ({})", host, why);
      error.try_this =
          fmt::format("check the network, or set {} to a mirror or HTTPS_PROXY", variable);
      break;
    case os::HttpTrouble::connect:
      error.what = fmt::format("no connection to {} ({})", host, why);
      error.try_this =
          fmt::format("check the network, or set {} to a mirror or HTTPS_PROXY", variable);
      break;
    case os::HttpTrouble::proxy:
      error.what = fmt::format("the proxy does not lead to {} ({})", host, why);
      error.try_this = "check HTTPS_PROXY and HTTP_PROXY, or name the host in NO_PROXY";
      break;
    case os::HttpTrouble::tls:
      error.what = fmt::format("{} did not prove who it is ({})", host, why);
      error.try_this =
          "behind a company's proxy set SSL_CERT_FILE to its certificates; check the clock";
      break;
    case os::HttpTrouble::timeout:
      error.what = fmt::format("{} did not answer in time", host);
      error.try_this = fmt::format("run it again, or set {} to a nearer mirror", variable);
      break;
    case os::HttpTrouble::cut_off:
      error.what = fmt::format("{} broke off in the middle of its answer", host);
      error.try_this = "run it again; a proxy on the way may cut answers";
      break;
    case os::HttpTrouble::protocol:
      error.what = fmt::format("{} does not answer as a web server does ({})", host, why);
      error.try_this = fmt::format("check {}", variable);
      break;
    case os::HttpTrouble::redirects:
      error.what = fmt::format("{} leads in circles: {}", host, why);
      error.try_this = fmt::format("check {}: it should be the hub's own address", variable);
      break;
  }
  return error;
}

Error not_there(const Address& address, const std::string& code,
                const std::vector<std::string>& known) {
  Error error{.kind = ErrorKind::not_found};
  if (code == "RevisionNotFound") {
    error.what = fmt::format("{} has no revision '{}'", address.repo, address.asked_revision());
    error.try_this = "leave the @revision out, or look it up on the repository's page";
    return error;
  }
  if (code == "EntryNotFound") {
    error.what = fmt::format("{} has no such file", address.repo);
    error.try_this = "look at the repository's list of files";
    return error;
  }
  error.what = fmt::format("the hub has no {}, or it is private", address.repo);
  error.try_this = fmt::format(
      "check the name{}; for a private one set {}",
      known.empty()
          ? ""
          : fmt::format(" (near it: {})", fmt::join(nearest(address.repo, known, 3), ", ")),
      address.model_scope ? "MODELSCOPE_API_TOKEN" : "HF_TOKEN");
  return error;
}

Error gated(const Address& address) {
  return {.kind = ErrorKind::not_found,
          .what = fmt::format(
              "{} is gated: the hub shows it only to those who accepted its licence", address.repo),
          .try_this = fmt::format("accept the licence on the repository's page, then set {}",
                                  address.model_scope ? "MODELSCOPE_API_TOKEN" : "HF_TOKEN")};
}

std::string wait_words(const std::string& retry_after) {
  std::uint32_t seconds = 0;
  const auto [end, code] =
      std::from_chars(retry_after.data(), retry_after.data() + retry_after.size(), seconds);
  if (code != std::errc{} || retry_after.empty() || *end != '\0') return "wait a few minutes";
  return fmt::format("wait {} s", seconds);
}

bool is_page(const os::HttpResponse& answer) {
  const std::string type = lower(answer.header("content-type"));
  const std::string start = lower(trim(std::string_view(answer.body).substr(0, 64)));
  return type.starts_with("text/html") || start.starts_with("<!doctype") ||
         start.starts_with("<html");
}

Error of_status(const os::HttpResponse& answer, const Address& address, const std::string& url,
                const std::vector<std::string>& known) {
  const std::string code = answer.header("x-error-code");
  const bool repo_missing = code == "RepoNotFound";
  Error error{.kind = ErrorKind::io, .file = url};
  if (answer.status == 404 || answer.status == 410 || repo_missing) {
    error = not_there(address, code, known);
  } else if (answer.status == 401 || answer.status == 403 || code == "GatedRepo") {
    error = gated(address);
  } else if (answer.status == 429) {
    error.what = "the hub asks to slow down (429, too many requests)";
    error.try_this =
        wait_words(answer.header("retry-after")) + ", or set a token, which raises the limit";
  } else if (answer.status >= 500) {
    error.what = fmt::format("the hub has trouble of its own ({})", answer.status);
    error.try_this = "run it again later, or use a mirror";
  } else if (answer.status == 407) {
    error.what = "the proxy wants a password (407)";
    error.try_this = "use a proxy without one, or name the host in NO_PROXY";
  } else {
    error.what = fmt::format("the hub answered {}", answer.status);
    error.try_this = "check the endpoint's address";
  }
  return std::move(error).in_file(url);
}

}  // namespace

Result<os::HttpResponse> accept(os::HttpResult answer, const Address& address,
                                const std::string& url, Wanted wanted,
                                const std::vector<std::string>& known_names) {
  if (!answer) return fail(of_network(answer.error(), address, url));
  if (answer->status != 200 && answer->status != 206) {
    return fail(of_status(*answer, address, url, known_names));
  }
  if (wanted != Wanted::anything && is_page(*answer)) {
    return fail({.kind = ErrorKind::bad_input,
                 .what = "a web page came instead of the hub's answer: a login page on the way?",
                 .file = url,
                 .try_this = "log in to the network with a browser, or correct the endpoint"});
  }
  return std::move(*answer);
}

}  // namespace steelyard::hub
