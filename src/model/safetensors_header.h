// The header of one safetensors file: eight length bytes, then JSON; and the index of many files.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.h"
#include "os/os.h"

namespace steelyard::model {

struct SafetensorsTensor {
  std::string_view name;
  facts::Format format;
  std::uint32_t dimensions = 0;
  std::array<std::uint64_t, 8> shape = {};
  std::uint64_t begin = 0, end = 0;  // within the data part

  std::uint64_t bytes() const { return end - begin; }
  std::uint64_t elements() const;  // saturates; 1 for a scalar
};

struct SafetensorsHeader {
  std::string text;             // what the names view
  std::deque<std::string> own;  // names that had escapes
  std::vector<SafetensorsTensor> tensors;
  bool data_is_whole = true;

  SafetensorsHeader() = default;
  SafetensorsHeader(const SafetensorsHeader&) = delete;
  SafetensorsHeader& operator=(const SafetensorsHeader&) = delete;
};

// Fills `header`, which must be fresh. Errors: not_found, io; bad_input, too_large, unsupported
// with field and byte.
Status read_safetensors_header(os::Files& files, const std::string& path,
                               SafetensorsHeader& header);

struct SafetensorsIndex {
  std::vector<std::string> shards;  // file names, sorted, each once
  std::uint64_t total_bytes = 0;    // metadata.total_size, 0 when absent
  std::uint64_t tensors = 0;        // entries of weight_map
};
// Errors: as above. Shard names that leave the folder are refused.
Result<SafetensorsIndex> parse_safetensors_index(std::string_view text, const std::string& path);

}  // namespace steelyard::model
