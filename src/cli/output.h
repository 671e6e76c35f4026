// Where answers go: standard output and the files of -o, and how a refusal looks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace steelyard::cli {

// One answer in every format; each is only rendered when somebody asks for it.
struct Rendering {
  std::function<std::string()> text, json, csv, markdown;
};

// The files of -o, created before the work so that a full disk or a bad path is known at once.
class Outputs {
 public:
  // Errors: usage (unknown ending, later work), io.
  static Result<Outputs> open(const Arguments& arguments, World& world);
  // Writes every file and standard output. Returns `code`, or 2 when something was not written.
  int write(const Rendering& rendering, int code, World& world) const;

 private:
  struct Target {
    std::string path, format;
  };
  std::vector<Target> targets_;
  bool json_ = false;
};

// Prints what, where and the way out on standard error; returns exit code 2.
int refuse(const Error& error, World& world);
int refuse_output(const std::string& path, World& world);

// Colour only for a terminal that wants it: --color, NO_COLOR (non-empty), TERM=dumb.
bool use_color(const Arguments& arguments, const World& world);

// The words TTFT, TPOT and so on with their formulas.
std::string metrics_text();

}  // namespace steelyard::cli
