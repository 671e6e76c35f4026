#include "base/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace steelyard {
namespace {

// One record from `text` at `at`, which moves behind it. False: an open quote at the end.
bool read_record(std::string_view text, std::size_t& at, std::vector<std::string>& cells) {
  std::string cell;
  bool quoted = false;
  while (at < text.size()) {
    const char c = text[at++];
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (at < text.size() && text[at] == '"') {
        cell += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == '"' && cell.empty()) {
      quoted = true;
    } else if (c == ',') {
      cells.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      break;
    } else if (c != '\r' || (at < text.size() && text[at] != '\n')) {
      cell += c;
    }
  }
  cells.push_back(std::move(cell));
  return !quoted;
}

}  // namespace

std::size_t CsvTable::column(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin());
}

const std::string& CsvTable::cell(std::size_t row, std::string_view name) const {
  static const std::string empty;
  const std::size_t at = column(name);
  return at < columns.size() ? rows[row][at] : empty;
}

Result<CsvTable> parse_csv(std::string_view text) {
  CsvTable table;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::size_t at = 0;
  std::size_t line = 1;
  while (at < text.size()) {
    const std::size_t begin = at;
    std::vector<std::string> cells;
    if (!read_record(text, at, cells)) {
      return fail({.kind = ErrorKind::bad_input,
                   .what = fmt::format("a quote opened on line {} is never closed", line),
                   .byte = begin,
                   .try_this = "close the quote, or double it inside a quoted cell"});
    }
    if (table.columns.empty()) {
      table.columns = std::move(cells);
    } else if (cells.size() == table.columns.size()) {
      table.rows.push_back(std::move(cells));
    } else if (cells.size() != 1 || !cells[0].empty()) {  // blank lines are no rows
      return fail({.kind = ErrorKind::bad_input,
                   .what = fmt::format("line {} has {} cells, the header has {}", line,
                                       cells.size(), table.columns.size()),
                   .byte = begin,
                   .try_this = "quote the cells that hold commas"});
    }
    line += static_cast<std::size_t>(std::ranges::count(text.substr(begin, at - begin), '\n'));
  }
  return table;
}

std::string csv_cell(std::string_view value) {
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(value);
  std::string quoted = "\"";
  for (const char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace steelyard
