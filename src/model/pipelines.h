// Image and video models: no layers that a language engine would serve, but components whose
// published sizes are known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"

namespace steelyard::model {

struct Component {
  std::string role;            // "transformer", "text encoder", "VAE", "whole checkpoint"
  std::string file;            // "org/repository:file"
  std::string format;          // as published: "bf16", "fp8"
  std::optional<Bytes> bytes;  // of the file; nothing where no source was found
  bool rounded = false;        // the source prints three digits
  std::string source;
};

struct Pipeline {
  std::string name;               // "FLUX.1-dev"
  std::vector<std::string> also;  // other spellings
  std::vector<Component> components;

  // Sum over the components whose size is known.
  Bytes known_bytes() const;
  // The one that must be on the card while it runs, even when the others wait on the host.
  const Component& largest() const;
  bool complete() const;  // every component's size is known
};

// From data/models/pipelines.csv, in its order.
const std::vector<Pipeline>& pipelines();

// "flux.1-dev", "black-forest-labs/FLUX.1-dev", "SDXL"; null when no pipeline is called so.
const Pipeline* find_pipeline(std::string_view name);

}  // namespace steelyard::model
