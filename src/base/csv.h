// RFC 4180 CSV: quoted cells, doubled quotes, line breaks inside quotes, CRLF or LF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace steelyard {

struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // each as long as `columns`

  // The cell, or "" when the column does not exist.
  const std::string& cell(std::size_t row, std::string_view column) const;
  // Index of a column, or columns.size().
  std::size_t column(std::string_view name) const;
};

// First line is the header; a row of another length is an error that names its line.
Result<CsvTable> parse_csv(std::string_view text);
std::string csv_cell(std::string_view value);  // quoted only when it must be

}  // namespace steelyard
