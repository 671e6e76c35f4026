// Front header: a model on a hub or in a hub's local cache becomes files that model/ can read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "os/os.h"

namespace steelyard::hub {

using Environment = std::function<std::optional<std::string>(std::string_view)>;

struct Asked {
  Environment environment;
  bool offline = false;                  // the cache only
  bool whole_headers = false;            // read every header, whatever it costs
  std::vector<std::string> known_names;  // offered when a name is not on the hub
};

struct Traffic {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;  // of bodies received
};

// A repository as files of which only the headers are here; reading on fetches more.
struct Fetched {
  std::unique_ptr<os::Files> files;
  std::string path;    // what to give to model::read_model
  std::string name;    // "org/name", as the hub calls it now
  std::string source;  // "hf:org/name@commit"
  std::vector<std::string> notes;
  // Bytes of all tensors by the files' sizes, when not all headers were fetched.
  std::optional<std::uint64_t> tensor_bytes;
  std::function<Traffic()> traffic;
  std::function<void()> keep;  // puts what was fetched into the cache: call it after a good reading
};

// Whether MODEL names a hub: "hf:..." or "ms:...".
bool is_remote(std::string_view model);

// "hf:org/name[@revision]", "hf:org/name:Q4_K_M", "hf:org/name/file.gguf", the same with "ms:".
// Errors: usage, not_found (missing, gated), io (network), bad_input (answers that are none).
Result<Fetched> fetch(os::HttpClient& http, os::Files& disk, const Asked& asked,
                      std::string_view model);

// The path of a model in the caches of Hugging Face ("org/name", a "models--org--name" folder),
// ModelScope ("org/name") or Ollama ("ollama:llama3:8b", "llama3:8b"); nothing when none has it.
std::optional<std::string> find_local(os::Files& disk, const Environment& environment,
                                      std::string_view model);

}  // namespace steelyard::hub
