// One row of data/claims/: what is said, what is right, and how the program must see it.
#pragma once

#include <string>
#include <vector>

#include "claims/claims.h"

namespace steelyard::claims_document {

struct Statement {
  std::string id, about, claim, verdict, right, advert;
  std::vector<std::string> checks, reads, sources;
  bool holds = true;
};

// Errors: bad_input with the row and the field.
Result<std::vector<Statement>> read_statements(os::Files& files, const std::string& path);

// What is wrong with a row, one sentence each; empty when all of it holds.
std::vector<std::string> faults_of(const Statement& statement, const facts::Catalogue& catalogue);

// "A:key / B:key = 2.0", left to right. Empty when it holds, else why not.
std::string fault_of_check(const std::string& check, const facts::Catalogue& catalogue);

}  // namespace steelyard::claims_document
