// What the engines' comparisons share.
#pragma once

#include <initializer_list>

#include "against/against.h"

namespace steelyard::against {

// Of one term over the ranks of a log.
struct Spread {
  const logs::Amount* smallest = nullptr;
  const logs::Amount* largest = nullptr;
  std::size_t ranks = 0;
};
// Ranks that print a term several times (K and V) are summed by `sums`.
std::vector<logs::Amount> amounts_of(const logs::StartupLog& log, logs::Term term, bool sums);
Spread spread_of(const std::vector<logs::Amount>& amounts);

// The largest sum of these terms over the ranks.
std::optional<ByteFigure> largest(const memory::Answer& answer,
                                  std::initializer_list<std::string_view> terms);

struct Tolerance {
  double share = 0.01;
  Bytes least;
};
Row row_of(std::string name, const logs::Amount& logged, const std::optional<ByteFigure>& predicted,
           Tolerance tolerance);
// Places a figure by its band, the log's rounding and the tolerance.
void judge(Row& row, Tolerance tolerance);

std::string ranks_words(std::size_t ranks);

// Rows of one engine; each also fills the room.
Result<std::vector<Row>> rows_vllm(const Start& start, Comparison& out);
Result<std::vector<Row>> rows_sglang(const Start& start, Comparison& out);
Result<std::vector<Row>> rows_llama_cpp(const Start& start, Comparison& out);

// The room of an engine with a pool: asked again with the logged pool in place of the predicted.
struct Pool {
  Bytes bytes, rounding;
  std::uint64_t line = 0;
};
Result<memory::Answer> with_pool(const Start& start, const Pool& pool);
Status fill_room(const Start& start, const Pool& pool, const std::vector<Row>& rows,
                 Comparison& out);

// Names what in the log shows why rows are off; "unexplained" where nothing does.
void explain(const Start& start, Comparison& out);

}  // namespace steelyard::against
