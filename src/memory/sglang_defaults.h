// What SGLang sets by itself from card, parallel sizes and version.
#pragma once

#include "memory/memory.h"

namespace steelyard::memory {

struct SglangDefaults {
  double mem_fraction_static = 0.88;
  std::uint64_t chunked_prefill = 8192, graph_batch = 256;
};

// Since 0.5.4 the fraction leaves room for a sum: 512 MiB of metadata, 1.5 MiB per token of a
// prefill chunk, 2 MiB per captured batch size, 1024 MiB per 8 ranks, more under attention data
// parallelism and speculative decoding, at least 10 GiB on cards above 60 GiB (server_args.py, PR
// 10975). Before, a table by tensor parallel size. No card: the table's 0.88.
SglangDefaults sglang_defaults(const Request& request);

}  // namespace steelyard::memory
