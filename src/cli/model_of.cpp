#include "cli/model_of.h"

#include <fmt/format.h>

#include <algorithm>

#include "hub/hub.h"

namespace steelyard::cli {
namespace {

Result<model::Model> read_fetched(const hub::Fetched& fetched) {
  auto model = model::read_model(*fetched.files, fetched.path);
  if (!model) return model;
  model->name = fetched.name;
  model->source = fetched.source;
  for (const std::string& note : fetched.notes) model->notes.push_back(note);
  const auto [requests, bytes] = fetched.traffic();
  model->fetched = model::Fetched{.requests = requests, .bytes = bytes};
  model->notes.push_back(fmt::format("{}: {} requests, {} bytes fetched", fetched.source, requests,
                                     with_commas(bytes)));
  return model;
}

// Whether what the config implies is what the files hold, within a thousandth.
bool agrees(const model::Model& model, std::uint64_t tensor_bytes) {
  const std::uint64_t implied = model.weight_bytes().value();
  const std::uint64_t apart =
      implied > tensor_bytes ? implied - tensor_bytes : tensor_bytes - implied;
  return apart <= tensor_bytes / 1000;
}

Result<model::Model> from_hub(const Arguments& arguments, World& world, const std::string& name) {
  hub::Asked asked{.environment = world.environment,
                   .offline = arguments.has("--offline"),
                   .known_names = model::catalogue_names()};
  auto fetched = hub::fetch(world.http, world.files, asked, name);
  if (!fetched) return fail(std::move(fetched.error()));
  auto model = read_fetched(*fetched);
  if (fetched->tensor_bytes && !asked.offline &&
      (!model || !agrees(*model, *fetched->tensor_bytes))) {
    // The config does not explain the files: then every header is read, at its price.
    asked.whole_headers = true;
    fetched = hub::fetch(world.http, world.files, asked, name);
    if (!fetched) return fail(std::move(fetched.error()));
    model = read_fetched(*fetched);
  }
  if (!model) return model;
  if (fetched->tensor_bytes) {
    model->notes.push_back(
        fmt::format("the weights are those the config implies; the files hold {} "
                    "bytes of tensors, within 0.1%",
                    with_commas(*fetched->tensor_bytes)));
  }
  fetched->keep();
  return model;
}

// What an engine must be told, as far as the words tell: the repository as typed, the folder of a
// file, nothing known for a mere size.
void name_what_is_served(const std::string& typed, model::Model& model) {
  const std::size_t slash = typed.rfind('/');
  switch (model.reading) {
    case model::Reading::typical_shape:
      model.served = "MODEL";
      break;
    case model::Reading::catalogue:
      if (slash == std::string::npos) break;
      model.served = typed;
      model.stored_as.clear();  // a format in the name is the format of that repository
      break;
    case model::Reading::config:
    case model::Reading::safetensors:
    case model::Reading::catalogue_and_header:
      if (typed.ends_with(".json") || typed.ends_with(".safetensors")) {
        model.served = slash == std::string::npos ? "." : typed.substr(0, slash);
      } else {
        model.served = typed;  // the folder itself
      }
      break;
    case model::Reading::gguf:
      break;
  }
}

}  // namespace

Result<model::Model> model_of(const Arguments& arguments, World& world, const std::string& name) {
  if (hub::is_remote(name) && world.files.kind(name) == os::EntryKind::missing) {
    return from_hub(arguments, world, name);
  }
  if (const auto path = hub::find_local(world.files, world.environment, name)) {
    auto model = model::read_model(world.files, *path);
    if (!model) return model;
    if (*path != name) model->notes.push_back(fmt::format("read from the local cache: {}", *path));
    return model;
  }
  if (starts_with_icase(name, "ollama:")) {
    return fail({.kind = ErrorKind::not_found,
                 .what = fmt::format("Ollama's store on this machine has no {}", name.substr(7)),
                 .try_this = "`ollama list` names what is there; OLLAMA_MODELS moves the store"});
  }
  auto model = model::read_model(world.files, name);
  if (model) name_what_is_served(name, *model);
  return model;
}

}  // namespace steelyard::cli
