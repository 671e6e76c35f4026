// The weights of an image or video model, component by component, beside the cards asked about.
#pragma once

#include <string>
#include <vector>

#include "memory/memory.h"
#include "model/model.h"

namespace steelyard::report {

struct PipelineCard {
  memory::CardMemory card;
  // does_not_fit when the largest component alone is more than the card offers; else
  // not_established, for what activations need is not known.
  memory::Verdict verdict() const;
  bool holds_all() const;    // all weights fit together
  bool holds_known() const;  // those whose size is known do
  const model::Pipeline& pipeline;
};

struct PipelineDocument {
  const model::Pipeline& pipeline;
  std::vector<PipelineCard> cards;
};

std::string pipeline_text(const PipelineDocument& document);
std::string pipeline_json(const PipelineDocument& document);
std::string pipeline_csv(const PipelineDocument& document);

}  // namespace steelyard::report
