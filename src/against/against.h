// Front header: a start-up log beside the prediction of the same start, figure by figure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/base.h"
#include "logs/logs.h"
#include "memory/memory.h"
#include "model/model.h"

namespace steelyard::against {

enum class Standing {
  agrees,
  off,
  open  // nothing was predicted to compare it with
};
std::string_view standing_word(Standing standing);

enum class Unit { bytes, tokens, sequences };

// One figure of the log. Amounts of memory are whole bytes; the others may have a fraction.
struct Row {
  std::string name;   // "weights", "kv_pool", "compute buffer"
  std::string where;  // "CUDA0", "4 ranks"; empty: one card
  Unit unit = Unit::bytes;
  double logged = 0;
  double rounding = 0;  // how far the log rounds
  std::uint64_t line = 0;
  std::string words;  // as logged; empty: follows from lines that are quoted in other rows
  std::optional<double> predicted;
  double low = 0, high = 0;
  Origin origin = Origin::exact;
  Standing standing = Standing::open;
  std::string why;  // of a figure that is off or open: what in the log shows it, or "unexplained"
  double off() const { return predicted && *predicted > 0 ? logged / *predicted - 1 : 0; }
};

// An option that the user gave and the log contradicts; the user's is taken.
struct Conflict {
  std::string option, given, logged;
  std::uint64_t line = 0;
};

// What the log says that nobody had to give.
struct Taken {
  std::string name, value;
  std::uint64_t line = 0;
  // What would be predicted with the default in its place, where that is another pool.
  std::optional<double> tokens_without;
  std::optional<Bytes> pool_without;
};

// What this server really has room for.
struct Room {
  std::optional<Bytes> pool;
  std::uint64_t pool_line = 0;
  std::optional<double> tokens;
  std::uint64_t context = 0;         // tokens per sequence that were asked about
  std::uint64_t concurrency = 1;     // sequences that were asked about
  std::optional<double> sequences;   // of that length at once
  std::optional<double> with_slots;  // llama.cpp: what its cache holds with as many slots
  std::optional<double> longest;     // tokens per sequence at that concurrency
  std::uint64_t started_for = 0;     // the longest sequence the server takes; 0: not known
  std::optional<double> predicted_tokens, predicted_sequences;  // without the logged pool
  std::optional<Bytes> left;          // llama.cpp: of the card, beside its buffers
  std::optional<double> more_tokens;  // that this would hold
  std::string reason;                 // why something is missing
};

struct Question {
  std::optional<std::uint64_t> context, concurrency;  // empty: as logged
};

struct Comparison {
  Standing standing = Standing::open;
  std::string reason;  // one sentence
  logs::StartupLog log;
  memory::Answer predicted;
  std::vector<Row> rows;
  Room room;
  std::vector<Conflict> conflicts;
  std::vector<Taken> taken;
  std::vector<std::string> notes;
};

// `request`: the start as the log tells it, with what the user gave instead.
struct Start {
  const model::Model& model;
  const memory::Request& request;
  const logs::StartupLog& log;
  Question question;
  std::vector<Conflict> conflicts;
  std::vector<Taken> taken;
};

// Errors: those of memory::size; bad_input (the start did not come as far as its pool).
Result<Comparison> compare(const Start& start);

}  // namespace steelyard::against
