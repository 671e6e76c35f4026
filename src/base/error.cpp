#include "base/error.h"

#include "base/printable.h"

namespace steelyard {

std::string kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::not_found:
      return "not found";
    case ErrorKind::bad_input:
      return "bad input";
    case ErrorKind::too_large:
      return "too large";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::missing_field:
      return "missing field";
    case ErrorKind::io:
      return "cannot read";
    case ErrorKind::internal:
      return "internal error";
  }
  return "internal error";
}

std::string describe(const Error& error) {
  // Names of files and fields come from outside: each stays on its line.
  std::string text = one_line(error.what);
  std::string where;
  if (!error.file.empty()) where += error.file;
  if (!error.field.empty()) where += (where.empty() ? "" : ", ") + error.field;
  if (error.byte) where += (where.empty() ? "byte " : ", byte ") + std::to_string(*error.byte);
  if (!where.empty()) text += "\n  where  " + one_line(where);
  if (!error.try_this.empty()) text += "\n  try    " + one_line(error.try_this);
  return text;
}

}  // namespace steelyard
