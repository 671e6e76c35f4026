// The starts of one log while it is read: the current one and the last complete one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "logs/line.h"
#include "logs/logs.h"

namespace steelyard::logs {

class Starts {
 public:
  explicit Starts(Program program) { now_.program = program; }

  // A new start begins on the line.
  void begin(const Line& line);
  // Nothing more is read until the next start: what follows are requests.
  void ready() { ready_ = true; }
  bool is_ready() const { return ready_; }
  bool any() const { return seen_; }

  StartupLog& now() { return now_; }
  // Adds an amount; a later one of the same rank and term takes its place where `replaces`.
  // It is quoted from the words `from` on, where `before` is only a part of a sentence.
  Status add(const Line& line, Term term, std::string where, std::string_view before,
             bool replaces = true, std::string_view from = {});
  Status put(const Line& line, Amount amount, bool replaces);
  Status count(const Line& line, Counted what, std::string where, std::string_view before);
  void set(const Line& line, Setting setting, std::string value);
  void version(const Line& line, std::string text);
  void failure(const Line& line);
  void note(const Line& line, std::string words);

  std::uint64_t first_line() const { return first_; }
  // The last complete start, else the last.
  StartupLog finish();

 private:
  Status room(const Line& line) const;
  StartupLog now_, kept_;
  bool has_kept_ = false, ready_ = false, seen_ = false;
  std::uint64_t starts_ = 0, first_ = 0;
};

// A figure no machine has, with its line.
Error absurd(const Line& line, std::string_view words);

bool complete(const StartupLog& start);

// The readers: each takes the lines it knows and leaves the rest.
Status read_vllm(const Line& line, Starts& starts);
Status read_sglang(const Line& line, Starts& starts);

// llama.cpp's log holds several contexts of one model, and drafts.
class LlamaReader {
 public:
  Status read(const Line& line, Starts& starts);
  // Puts back the larger context where a smaller one came later.
  void settle(Starts& starts);

 private:
  void begin_context(const Line& line, Starts& starts);
  Status read_settings(const Line& line, Starts& starts);
  Status read_buffers(const Line& line, Starts& starts);
  Status read_ollama(const Line& line, Starts& starts);
  std::vector<Amount> held_;
  std::vector<Count> held_counts_;
  bool drafting_ = false;
};

}  // namespace steelyard::logs
