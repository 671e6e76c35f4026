// One row of memory-llamacpp.csv: its cells as numbers, the request it describes, and its model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/base.h"
#include "memory/memory.h"
#include "model/model.h"

namespace steelyard::accuracy {

class LlamaRow {
 public:
  LlamaRow(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}

  const std::string& cell(std::string_view column) const { return table_.cell(row_, column); }
  bool has(std::string_view column) const { return !cell(column).empty(); }
  // A whole number at the front of the cell; nothing when there is none.
  std::optional<std::uint64_t> number(std::string_view column) const;
  std::optional<double> real(std::string_view column) const;
  // "CUDA0=560.0;CUDA_Host=24.01" as device and MiB. Figures without a device are left out.
  std::map<std::string, double> by_device(std::string_view column) const;

  bool is_fork() const { return cell("engine") == "ik_llama.cpp"; }
  bool is_bracket() const { return contains_icase(cell("note"), "bracket"); }

 private:
  const CsvTable& table_;
  std::size_t row_;
};

// "CUDA3" and "CUDA3_Split" are card 3; "CPU", "CUDA_Host", "CPU_Mapped" are the host (nothing).
std::optional<std::uint32_t> card_number(const std::string& device);

// The build: the row's own (named by the log, or told from its date and wording: its note says
// which), else from the number of the issue that quotes the log (issues and builds both only grow)
// or from the form of the log. Nothing when none of them says.
std::optional<memory::Version> build_of_row(const LlamaRow& row);

// What the row asks of the engine. Errors (as text): what the row lacks.
std::expected<memory::Request, std::string> request_of_row(const LlamaRow& row);

// The row's model, from its own columns, or the published one of the same shape or name.
std::expected<model::Model, std::string> model_of_row(const LlamaRow& row);

}  // namespace steelyard::accuracy
