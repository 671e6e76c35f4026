// The header of one GGUF file, versions 2 and 3: metadata and the tensor table, not the data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "facts/facts.h"
#include "model/gguf_metadata.h"
#include "os/os.h"

namespace steelyard::model {

struct GgufTensor {
  std::string name;
  std::uint32_t dimensions = 0;
  std::array<std::uint64_t, 4> extent = {1, 1, 1, 1};  // extent[0] runs fastest: the columns
  facts::Format format;
  std::uint64_t offset = 0;  // within the data part
  Bytes bytes;
};

struct GgufHeader {
  std::uint32_t version = 0;
  GgufMetadata metadata;
  std::vector<GgufTensor> tensors;
  std::uint64_t data_start = 0;
  std::uint64_t file_size = 0;
  bool data_is_whole = true;  // false: the file ends before the last tensor does
};

// Reads no tensor data; memory stays near the size of the tensor table whatever the file claims.
// Errors: not_found, io; bad_input, too_large, unsupported with field and byte.
Result<GgufHeader> read_gguf_header(os::Files& files, const std::string& path);

}  // namespace steelyard::model
