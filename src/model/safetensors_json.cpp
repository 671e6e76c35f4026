#include "model/safetensors_json.h"

namespace steelyard::model {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool JsonPull::take(char wanted) {
  space();
  if (!ok() || at_ >= text_.size() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

bool JsonPull::open(char bracket) {
  if (!take(bracket)) {
    return fail_with(bracket == '{' ? "an object was expected" : "a list was expected");
  }
  first_ = true;
  return true;
}

bool JsonPull::next_entry(char close) {
  if (!ok()) return false;
  if (take(close)) {
    first_ = false;
    return false;
  }
  if (!first_ && !take(',')) return fail_with("a comma or a closing bracket was expected");
  first_ = false;
  return true;
}

bool JsonPull::next_key(std::string_view& key) {
  if (!next_entry('}')) return false;
  key = string();
  if (ok() && !take(':')) return fail_with("a colon was expected");
  return ok();
}

bool JsonPull::next_item() {
  return next_entry(']');
}

std::string_view JsonPull::string() {
  if (!take('"')) {
    fail_with("a text was expected");
    return {};
  }
  const std::size_t begin = at_;
  bool escaped = false;
  while (at_ < text_.size() && text_[at_] != '"') {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20) {
      fail_with("a control character inside a text");
      return {};
    }
    if (c == '\\') {
      escaped = true;
      ++at_;
    }
    ++at_;
  }
  if (at_ >= text_.size()) {
    at_ = text_.size();
    fail_with("a text has no end");
    return {};
  }
  const std::size_t end = at_++;
  return escaped ? unescape(begin, end) : text_.substr(begin, end - begin);
}

std::string_view JsonPull::unescape(std::size_t begin, std::size_t end) {
  std::string& out = unescaped_[turn_ ^= 1];
  out.clear();
  for (std::size_t i = begin; i < end; ++i) {
    if (text_[i] != '\\') {
      out += text_[i];
      continue;
    }
    const char c = text_[++i];  // string() saw that one follows
    constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (const auto at = letters.find(c); at != std::string_view::npos) {
      out += meant[at];
      continue;
    }
    std::uint32_t code = 0;
    bool good = c == 'u' && i + 4 < end;
    for (std::size_t d = 1; good && d <= 4; ++d) {
      const int digit = hex(text_[i + d]);
      good = digit >= 0;
      code = code << 4 | static_cast<std::uint32_t>(digit & 0xF);
    }
    if (!good) {
      fail_with("a bad escape inside a text");
      return {};
    }
    append_utf8(out, code);  // surrogate pairs stay apart: no tensor's name has one
    i += 4;
  }
  return out;
}

std::uint64_t JsonPull::number() {
  space();
  const std::size_t begin = at_;
  std::uint64_t value = 0;
  while (ok() && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
    const auto tens = checked_mul(value, 10);
    const auto sum =
        tens ? checked_add(*tens, static_cast<std::uint64_t>(text_[at_] - '0')) : std::nullopt;
    if (!sum) {
      fail_with("a number beyond 64 bits");
      return 0;
    }
    value = *sum;
    ++at_;
  }
  if (at_ == begin) {
    fail_with("a whole number was expected");
    return 0;
  }
  // 12.5, 1e9 and 0x10 are not counts.
  if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E')) {
    fail_with("a whole number was expected");
  }
  return value;
}

char JsonPull::peek() {
  space();
  return ok() && at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonPull::at_end() {
  space();
  return at_ == text_.size();
}

bool JsonPull::skip() {
  constexpr int deepest = 64;
  int depth = 0;
  do {
    const char c = peek();
    if (c == '"') {
      string();
    } else if (c == '{' || c == '[') {
      ++at_;
      if (++depth > deepest) return fail_with("values nested too deep");
      continue;
    } else if (c == '}' || c == ']') {
      ++at_;
      if (--depth < 0) return fail_with("a bracket too many");
    } else if (c == ',' || c == ':') {
      if (depth == 0) return fail_with("a value was expected");
      ++at_;
      continue;
    } else if (c == '\0') {
      return fail_with("the text ends inside a value");
    } else {
      // true, false, null, a number: a run of their letters.
      const std::size_t begin = at_;
      while (at_ < text_.size() &&
             (text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.' ||
              (text_[at_] >= '0' && text_[at_] <= '9') ||
              (text_[at_] >= 'a' && text_[at_] <= 'z') || text_[at_] == 'E')) {
        ++at_;
      }
      if (at_ == begin) return fail_with("a value was expected");
    }
  } while (ok() && depth > 0);
  return ok();
}

}  // namespace steelyard::model
