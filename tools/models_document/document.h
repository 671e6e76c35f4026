// docs/models.md out of what check.h found.
#pragma once

#include "check.h"

namespace steelyard::models_document {

// `absent`: rows of data/models/absent.csv, name and reason.
std::string document(const std::vector<Entry>& entries, const std::vector<Comparison>& rows,
                     const std::vector<std::vector<std::string>>& absent);

}  // namespace steelyard::models_document
