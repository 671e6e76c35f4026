#include "hub/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace steelyard::hub {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

// Percent-encodes all but unreserved characters and slashes.
std::string encoded(std::string_view text, bool keep_slash = true) {
  std::string out;
  for (const char c : text) {
    if (is_word(c) || c == '~' || (c == '/' && keep_slash)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string value_of(const Environment& environment, std::string_view name) {
  return environment(name).value_or("");
}

// Tokens go into a header field: one that could end it is no token.
std::string as_token(std::string text) {
  text = trim(text);
  const auto unsafe = [](char c) { return c <= ' ' || c == 127; };
  return std::ranges::any_of(text, unsafe) ? "" : text;
}

std::string hugging_face_token(os::Files& disk, const Environment& environment) {
  for (const std::string_view name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    if (auto token = as_token(value_of(environment, name)); !token.empty()) return token;
  }
  std::string path = value_of(environment, "HF_TOKEN_PATH");
  if (path.empty()) {
    std::string home = value_of(environment, "HF_HOME");
    if (home.empty()) home = value_of(environment, "HOME") + "/.cache/huggingface";
    path = home + "/token";
  }
  const auto text = os::read_whole(disk, path, 4096);
  return text ? as_token(*text) : "";
}

void find_endpoint(os::Files& disk, const Environment& environment, Address& address) {
  if (address.model_scope) {
    address.endpoint = value_of(environment, "MODELSCOPE_ENDPOINT");
    if (address.endpoint.empty()) address.endpoint = value_of(environment, "MODELSCOPE_DOMAIN");
    if (address.endpoint.empty()) address.endpoint = "www.modelscope.cn";
    const auto token = as_token(value_of(environment, "MODELSCOPE_API_TOKEN"));
    if (!token.empty()) {
      address.secrets.emplace_back("Authorization", "Bearer " + token);
      address.secrets.emplace_back("Cookie", "m_session_id=" + token);
    }
  } else {
    address.endpoint = value_of(environment, "HF_ENDPOINT");
    if (address.endpoint.empty()) address.endpoint = "https://huggingface.co";
    const auto token = hugging_face_token(disk, environment);
    if (!token.empty()) address.secrets.emplace_back("Authorization", "Bearer " + token);
  }
  if (address.endpoint.find("://") == std::string::npos) {
    address.endpoint = "https://" + address.endpoint;
  }
  while (address.endpoint.ends_with('/')) address.endpoint.pop_back();
}

bool is_path(std::string_view text) {
  for (const std::string_view part : split(text, '/')) {
    if (part.empty() || part == "." || part == ".." || !std::ranges::all_of(part, is_word)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_remote(std::string_view model) {
  return starts_with_icase(model, "hf:") || starts_with_icase(model, "ms:");
}

bool is_commit(std::string_view revision) {
  return revision.size() == 40 && std::ranges::all_of(revision, [](char c) {
           return std::isxdigit(static_cast<unsigned char>(c)) != 0;
         });
}

std::string Address::list_url() const {
  const std::string at = encoded(asked_revision(), false);
  if (model_scope) {
    return fmt::format("{}/api/v1/models/{}/repo/files?Revision={}&Recursive=true", endpoint,
                       encoded(repo), at);
  }
  return fmt::format("{}/api/models/{}/revision/{}?blobs=true", endpoint, encoded(repo), at);
}

std::string Address::file_url(const std::string& file_name, const std::string& at_revision) const {
  if (model_scope) {
    // Its listing names no commit: what stands in for one is ours alone.
    const std::string& at = is_commit(at_revision) ? at_revision : asked_revision();
    return fmt::format("{}/api/v1/models/{}/repo?Revision={}&FilePath={}", endpoint, encoded(repo),
                       encoded(at, false), encoded(file_name, false));
  }
  return fmt::format("{}/{}/resolve/{}/{}", endpoint, encoded(repo), encoded(at_revision, false),
                     encoded(file_name));
}

Result<Address> parse_address(os::Files& disk, const Environment& environment,
                              std::string_view model) {
  Address address{.model_scope = starts_with_icase(model, "ms:")};
  std::string_view rest = model.substr(3);
  if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
    address.revision = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    address.variant = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  const std::size_t slash = rest.find('/');
  const std::size_t second = slash == std::string_view::npos ? slash : rest.find('/', slash + 1);
  address.repo = rest.substr(0, second);
  if (second != std::string_view::npos) address.file = rest.substr(second + 1);
  const bool revision_named = model.find('@') == std::string_view::npos ||
                              (is_path(address.revision) && address.revision.size() <= 200);
  const bool good = is_path(address.repo) && slash != std::string_view::npos && revision_named &&
                    (address.file.empty() || is_path(address.file)) &&
                    std::ranges::all_of(address.variant, is_word);
  if (!good) {
    return fail({.kind = ErrorKind::usage,
                 .what = fmt::format("'{}' names no repository of a hub", model),
                 .try_this = "write hf:org/name, hf:org/name@revision, hf:org/name:Q4_K_M or "
                             "hf:org/name/file.gguf; ms: is ModelScope"});
  }
  find_endpoint(disk, environment, address);
  return address;
}

}  // namespace steelyard::hub
