#include "model/module_pattern.h"

#include <algorithm>
#include <functional>
#include <string>

namespace steelyard::model {
namespace {

// From the first "layers." on: what is in front differs between a file and its wrapped forms.
std::string_view from_layers(std::string_view name) {
  const std::size_t at = name.find("layers.");
  return at == std::string_view::npos ? name : name.substr(at);
}

bool parts_within(std::string_view pattern, std::string_view module) {
  for (std::size_t at = module.find(pattern); at != std::string_view::npos;
       at = module.find(pattern, at + 1)) {
    const std::size_t end = at + pattern.size();
    if ((at == 0 || module[at - 1] == '.') && (end == module.size() || module[end] == '.')) {
      return true;
    }
  }
  return false;
}

// A backtracking matcher for the usual subset: . \x [..] (a|b) * + ? ^ $. Names are short; the
// step limit keeps a hostile expression from costing more than a moment.
class Expression {
 public:
  Expression(std::string_view expression, std::string_view text)
      : expression_(expression), text_(text) {}

  bool matches() {
    return alternatives(0, expression_.size(), 0, [](std::size_t) { return true; }, 0);
  }

 private:
  using Next = std::function<bool(std::size_t)>;

  bool dear(int depth) { return ++steps_ > 20000 || depth > 400; }

  std::size_t closing(std::size_t at, std::size_t end, char open, char close) const {
    int depth = 0;
    for (; at < end; ++at) {
      if (expression_[at] == '\\') {
        ++at;
      } else if (expression_[at] == open) {
        ++depth;
      } else if (expression_[at] == close && --depth <= 0) {
        return at;
      }
    }
    return end;
  }

  bool alternatives(std::size_t begin, std::size_t end, std::size_t at, const Next& next,
                    int depth) {
    if (dear(depth)) return false;
    std::size_t start = begin;
    for (std::size_t i = begin; i < end; ++i) {
      const char c = expression_[i];
      if (c == '|') {
        if (sequence(start, i, at, next, depth + 1)) return true;
        start = i + 1;
      } else if (c == '\\') {
        ++i;
      } else if (c == '(') {
        i = closing(i, end, '(', ')');
      } else if (c == '[') {
        i = closing(i, end, '[', ']');
      }
    }
    return sequence(start, end, at, next, depth + 1);
  }

  bool one(std::size_t begin, std::size_t end, char c) const {
    const char e = expression_[begin];
    if (e == '.') return true;
    if (e == '\\' && begin + 1 < end) {
      const char x = expression_[begin + 1];
      if (x == 'd') return c >= '0' && c <= '9';
      if (x == 'w')
        return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
      return c == x;
    }
    if (e != '[') return c == e;
    std::size_t i = begin + 1;
    const bool negated = i < end && expression_[i] == '^';
    if (negated) ++i;
    bool found = false;
    for (; i + 1 < end; ++i) {
      if (i + 3 < end && expression_[i + 1] == '-') {
        found = found || (c >= expression_[i] && c <= expression_[i + 2]);
        i += 2;
      } else {
        found = found || c == expression_[i];
      }
    }
    return found != negated;
  }

  bool sequence(std::size_t begin, std::size_t end, std::size_t at, const Next& next, int depth) {
    if (dear(depth)) return false;
    if (begin >= end) return next(at);
    const char first = expression_[begin];
    if (first == '^') return at == 0 && sequence(begin + 1, end, at, next, depth + 1);
    if (first == '$') return at == text_.size() && sequence(begin + 1, end, at, next, depth + 1);
    std::size_t stop = begin + 1;
    if (first == '\\') stop = begin + 2;
    if (first == '(') stop = closing(begin, end, '(', ')') + 1;
    if (first == '[') stop = closing(begin, end, '[', ']') + 1;
    if (stop > end) return false;
    const char repeat = stop < end ? expression_[stop] : ' ';
    const bool repeated = repeat == '*' || repeat == '+' || repeat == '?';
    const std::size_t rest = repeated ? stop + 1 : stop;
    const Next after = [&](std::size_t p) { return sequence(rest, end, p, next, depth + 1); };
    const auto once = [&](std::size_t p, const Next& then) {
      if (first == '(') {
        std::size_t inner = begin + 1;
        if (expression_.substr(inner, 2) == "?:") inner += 2;
        return alternatives(inner, stop - 1, p, then, depth + 1);
      }
      return p < text_.size() && one(begin, stop, text_[p]) && then(p + 1);
    };
    if (!repeated) return once(at, after);
    if (repeat == '?') return once(at, after) || after(at);
    return many(once, at, after, repeat == '+' ? 1 : 0, depth + 1);
  }

  template <typename Once>
  bool many(const Once& once, std::size_t at, const Next& after, int least, int depth) {
    if (dear(depth)) return false;
    const bool more = once(at, [&](std::size_t p) {
      return p > at && many(once, p, after, least > 0 ? least - 1 : 0, depth + 1);
    });
    return more || (least == 0 && after(at));
  }

  std::string_view expression_, text_;
  int steps_ = 0;
};

// Whether what stands in front of the first wildcard begins the text: cheap, and mostly no.
bool could_match(std::string_view pattern, std::string_view text) {
  return text.starts_with(pattern.substr(0, pattern.find_first_of("*?")));
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool expression_matches(std::string_view expression, std::string_view text) {
  if (expression.size() > 500 || text.size() > 500) return false;
  return Expression(expression, text).matches();
}

bool names_module(std::string_view pattern, std::string_view module) {
  if (pattern.empty()) return false;
  if (pattern.starts_with("re:")) return expression_matches(pattern.substr(3), module);
  const std::string_view near = from_layers(pattern), module_near = from_layers(module);
  if (pattern.find_first_of("*?") != std::string_view::npos) {
    // "model.layers.*.self_attn" stands for all modules below it.
    return glob_matches(pattern, module) || glob_matches(near, module_near) ||
           (could_match(near, module_near) && glob_matches(std::string(near) + ".*", module_near));
  }
  return parts_within(pattern, module) || parts_within(near, module_near);
}

namespace {

// What every module that a glob names begins with; nothing is known of other patterns.
std::string_view beginning(std::string_view pattern) {
  const std::size_t wild = pattern.find_first_of("*?");
  const bool glob = !pattern.starts_with("re:") && wild != std::string_view::npos;
  return glob ? pattern.substr(0, wild) : std::string_view();
}

}  // namespace

ModulePatterns::ModulePatterns(const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) {
    const bool plain =
        !pattern.starts_with("re:") && pattern.find_first_of("*?") == std::string::npos;
    const bool digits = pattern.find_first_of("0123456789") != std::string::npos;
    // Both ends at a dot: what the hash of dotted parts can answer.
    const bool whole = !pattern.empty() && pattern.front() != '.' && pattern.back() != '.';
    if (plain && whole && pattern.size() < lengths_.size()) {
      for (const std::string_view text : {std::string_view(pattern), from_layers(pattern)}) {
        plain_.insert(text);
        lengths_[text.size()] = true;
      }
    } else if (digits) {
      numbered_.push_back({pattern, beginning(pattern), beginning(from_layers(pattern))});
    } else {
      alike_.push_back(pattern);
    }
  }
}

bool ModulePatterns::named_one_by_one(std::string_view module) const {
  return std::ranges::any_of(
      plain_, [&](std::string_view pattern) { return names_module(pattern, module); });
}

bool ModulePatterns::named_plainly(std::string_view module) const {
  if (plain_.empty()) return false;
  // Where dotted parts begin and end, and where "layers." does, which may be inside one.
  std::array<std::size_t, 34> begins{0, module.size() - from_layers(module).size()}, ends{};
  std::size_t begin_count = begins[1] == 0 ? 1 : 2, end_count = 0;
  for (std::size_t at = module.find('.'); at != std::string_view::npos;
       at = module.find('.', at + 1)) {
    if (end_count + 1 >= ends.size() || begin_count + 1 >= begins.size())
      return named_one_by_one(module);
    ends[end_count++] = at;
    begins[begin_count++] = at + 1;
  }
  ends[end_count++] = module.size();
  for (std::size_t b = 0; b < begin_count; ++b) {
    for (std::size_t e = 0; e < end_count; ++e) {
      if (ends[e] <= begins[b]) continue;
      const std::size_t length = ends[e] - begins[b];
      if (length < lengths_.size() && lengths_[length] &&
          plain_.contains(module.substr(begins[b], length))) {
        return true;
      }
    }
  }
  return false;
}

bool ModulePatterns::named_alike(std::string_view module) {
  if (alike_.empty()) return false;
  std::string key(module);
  for (char& c : key) {
    if (c >= '0' && c <= '9') c = '#';
  }
  const auto [entry, fresh] = known_.try_emplace(std::move(key), false);
  if (fresh) {
    entry->second = std::ranges::any_of(
        alike_, [&](std::string_view pattern) { return names_module(pattern, module); });
  }
  return entry->second;
}

bool ModulePatterns::name(std::string_view module) {
  if (named_plainly(module) || named_alike(module)) return true;
  const std::string_view near = from_layers(module);
  return std::ranges::any_of(numbered_, [&](const Numbered& one) {
    const bool possible = module.starts_with(one.begins) || near.starts_with(one.begins_near);
    return possible && names_module(one.pattern, module);
  });
}

}  // namespace steelyard::model
