// A pull parser for the JSON of safetensors headers and indexes: no tree, no recursion, positions
// for errors. Reads only what such a header may hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/base.h"

namespace steelyard::model {

// Walks a text that must outlive it. After an error every call returns false or an empty value.
class JsonPull {
 public:
  explicit JsonPull(std::string_view text) : text_(text) {}

  // `{`, then entries until false. `for (in.open('{'); in.next_key(key);) { ... one value ... }`
  bool open(char bracket);
  bool next_key(std::string_view& key);  // false at `}` or after an error
  bool next_item();                      // false at `]` or after an error
  std::string_view string();             // unescaped; valid until two more escaped strings are read
  std::uint64_t number();                // a whole number that fits 64 bits
  bool skip();                           // any value, nested up to 64 deep
  char peek();                           // first character of the next value, 0 at the end
  bool at_end();                         // nothing but white space is left

  bool ok() const { return error_ == nullptr; }
  const char* error() const { return error_; }  // a sentence, when not ok
  std::size_t position() const { return at_; }
  bool fail_with(const char* sentence) {
    if (error_ == nullptr) error_ = sentence;
    return false;
  }

 private:
  void space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool take(char wanted);
  bool next_entry(char close);
  std::string_view unescape(std::size_t begin, std::size_t end);

  std::string_view text_;
  std::size_t at_ = 0;
  bool first_ = false;  // just behind an opening bracket
  const char* error_ = nullptr;
  std::string unescaped_[2];
  int turn_ = 0;
};

}  // namespace steelyard::model
