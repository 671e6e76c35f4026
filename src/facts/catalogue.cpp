#include <algorithm>

#include "base/embedded.h"
#include "facts/pack.h"

STEELYARD_EMBEDDED(facts);

namespace steelyard::facts {
namespace {

// Replaces entries with the same key, appends the rest.
template <typename T, typename Key>
void merge(std::vector<T>& into, std::vector<T>&& from, Key key) {
  for (T& item : from) {
    const auto same = std::ranges::find(into, key(item), key);
    if (same == into.end()) {
      into.push_back(std::move(item));
    } else {
      *same = std::move(item);
    }
  }
}

}  // namespace

Catalogue Facts::catalogue() && {
  Catalogue result;
  result.accelerators_ = std::move(accelerators);
  result.links_ = std::move(links);
  result.usable_rules_ = std::move(usable);
  result.index_names();
  return result;
}

void Catalogue::index_names() {
  by_name_.clear();
  for (std::size_t i = 0; i < accelerators_.size(); ++i) {
    const auto add = [&](const std::string& name) {
      std::vector<std::size_t>& cards = by_name_[name_key(name)];
      if (cards.empty() || cards.back() != i) cards.push_back(i);
    };
    add(accelerators_[i].id);
    add(accelerators_[i].name);
    std::ranges::for_each(accelerators_[i].aliases, add);
  }
}

Result<Catalogue> Catalogue::embedded() {
  auto facts = read_pack(embedded_text(steelyard_facts_begin, steelyard_facts_end));
  if (!facts) return fail(std::move(facts.error()));
  return std::move(*facts).catalogue();
}

Status Catalogue::overlay(os::Files& files, const std::string& dir) {
  if (files.kind(dir) != os::EntryKind::folder) {
    return fail({.kind = ErrorKind::not_found,
                 .what = "the folder of extra facts does not exist",
                 .file = dir,
                 .field = "--data",
                 .try_this = "give a folder that holds accelerators/*.toml"});
  }
  auto facts = read_facts(files, dir);
  if (!facts) return fail(std::move(facts.error()));
  merge(accelerators_, std::move(facts->accelerators), [](const Accelerator& a) { return a.id; });
  merge(links_, std::move(facts->links), [](const Link& l) { return l.key; });
  // Rules given with the overlay come after ours, so they win; captures add up.
  std::ranges::move(facts->usable.rules, std::back_inserter(usable_rules_.rules));
  std::ranges::move(facts->usable.captures, std::back_inserter(usable_rules_.captures));
  attach_usable(accelerators_, usable_rules_);
  index_names();
  return {};
}

}  // namespace steelyard::facts
