// Errors are values: what happened, where (file, field, byte), and what to try next.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>

namespace steelyard {

// A closed set; callers branch on the kind, never on the text.
enum class ErrorKind {
  usage,          // the command line or an option value
  not_found,      // a file, card, model or field that is not there
  bad_input,      // bytes that break their own format
  too_large,      // a count or length beyond the stated limits
  unsupported,    // understood, but not something we can answer
  missing_field,  // a description that lacks what the sum needs
  io,             // the operating system refused
  internal,       // our own bug
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string what;                   // one sentence, no trailing full stop
  std::string file;                   // empty when no file is involved
  std::string field;                  // "text_config.num_hidden_layers", "--context"
  std::optional<std::uint64_t> byte;  // offset in the file
  std::string try_this;               // the way out, one sentence; may be empty

  // The same error, with its file named; keeps a file that is already there.
  Error in_file(std::string name) && {
    if (file.empty()) file = std::move(name);
    return std::move(*this);
  }
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

// Shorthand for returning an error: `return fail({.kind = ..., .what = ...});`
inline std::unexpected<Error> fail(Error error) {
  return std::unexpected<Error>(std::move(error));
}

// Words for people: "bad_input" and so on, and the lines "what / where / try".
std::string kind_name(ErrorKind kind);
std::string describe(const Error& error);

}  // namespace steelyard
