// One row of data/models/index.csv against the count its publisher gives.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace steelyard::models_document {

struct Entry {
  std::string name, config, source;
  std::vector<std::string> recalled;  // fields nobody read in a file; "*" means all
  std::vector<std::string> by_count;  // fields that only this value reconciles with the count
};

struct Published {
  double parameters = 0;
  bool exact = false;  // not rounded from a name ("30 B")
  std::string note;    // what the checkpoint holds beyond the weights a model runs with, or less
};

struct Comparison {
  const Entry* entry = nullptr;
  Published published;
  double ours = 0;
  double difference() const { return ours / published.parameters - 1; }
};

// Errors: bad_input with file and row.
Result<std::vector<Entry>> read_entries(os::Files& files, const std::string& root);
Result<std::vector<Comparison>> compare(os::Files& files, const std::string& root,
                                        const std::vector<Entry>& entries);

// A disagreement that has a reason of its own, or "".
std::string excuse(const std::string& name);

// What is wrong with a row: farther from the count than 0.5 % (10 % from a rounded one), or a field
// said to follow from the count that another value would reconcile as well.
std::vector<std::string> faults_of(const Comparison& row);

}  // namespace steelyard::models_document
