// Puts the pieces of a quantised matrix back together: packed weights, scales, zero points.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/description.h"
#include "model/safetensors_header.h"
#include "model/tensor_names.h"

namespace steelyard::model {

// Collects the tensors of all shards of a model. One group of equal matrices per layer and name:
// experts stored one by one share a group, and scales join the weights they belong to.
class PackedCollector {
 public:
  void add(const SafetensorsTensor& tensor);
  // Adds all groups to the model, in the order in which they were met. Errors: too_large.
  Status finish(Model& model);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  // The pieces of one group; shapes are those of one member.
  struct Group {
    std::string name;    // of the weights, with "*" for the expert
    std::string suffix;  // how the weights are stored: ".weight", ".qweight", "_blocks" ...
    NameMeaning meaning;
    SafetensorsTensor main;  // its name views `name` no more than while adding
    std::uint64_t members = 0, bytes = 0;
    std::uint64_t scale_columns = 0;  // last extent of the scales
    std::uint64_t zero_columns = 0;   // last extent of the packed zero points
    bool has_scales = false;
    bool bits4 = false;  // bitsandbytes' quant_state names nf4 or fp4
  };
  Group& group();
  void fold_expert();
  static Tensor described(const Group& group);

  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;
  std::string folded_;
};

}  // namespace steelyard::model
