#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "facts/toml_reader.h"

namespace steelyard::facts {
namespace {

constexpr std::uint64_t largest_file = 4u << 20;

// Calls `use` with the text of each .toml of a folder, in the order of their names.
template <typename Use>
Status for_files(os::Files& files, const std::string& dir, Use use) {
  if (files.kind(dir) != os::EntryKind::folder) return {};
  auto names = files.list(dir);
  if (!names) return fail(std::move(names.error()));
  for (const std::string& name : *names) {
    if (!name.ends_with(".toml")) continue;
    const std::string path = dir + "/" + name;
    auto text = os::read_whole(files, path, largest_file);
    if (!text) return fail(std::move(text.error()).in_file(path));
    if (Status done = use(name, path, *text); !done) return done;
  }
  return {};
}

// Which rule of usable.toml a card falls under.
std::string_view family_of(const Accelerator& card) {
  if (card.vendor == "Apple") return "apple";
  if (card.form == "SoC") return "unified";
  if (card.vendor == "NVIDIA") return "nvidia";
  if (card.vendor == "AMD") return "amd";
  return "other";
}

Status check_ids(const Facts& facts, const std::string& dir) {
  std::set<std::string> ids, links;
  for (const Accelerator& card : facts.accelerators) {
    if (!ids.insert(card.id).second) {
      return fail({.kind = ErrorKind::bad_input,
                   .what = fmt::format("the id {} is given twice", card.id),
                   .file = dir + "/accelerators",
                   .field = "card.id"});
    }
  }
  for (const Link& link : facts.links) {
    if (!links.insert(link.key).second) {
      return fail({.kind = ErrorKind::bad_input,
                   .what = fmt::format("the key {} is given twice", link.key),
                   .file = dir + "/links",
                   .field = "link.key"});
    }
  }
  return {};
}

}  // namespace

Result<Facts> read_facts(os::Files& files, const std::string& dir) {
  Facts facts;
  Status done = for_files(
      files, dir + "/accelerators",
      [&](const std::string& name, const std::string& path, const std::string& text) -> Status {
        if (name == "usable.toml") {
          auto usable = parse_usable(text, path);
          if (!usable) return fail(std::move(usable.error()));
          facts.usable = std::move(*usable);
          return {};
        }
        auto cards = parse_accelerators(text, path);
        if (!cards) return fail(std::move(cards.error()));
        std::ranges::move(*cards, std::back_inserter(facts.accelerators));
        return {};
      });
  if (!done) return fail(std::move(done.error()));
  done = for_files(
      files, dir + "/links",
      [&](const std::string&, const std::string& path, const std::string& text) -> Status {
        auto links = parse_links(text, path);
        if (!links) return fail(std::move(links.error()));
        std::ranges::move(*links, std::back_inserter(facts.links));
        return {};
      });
  if (!done) return fail(std::move(done.error()));
  if (done = check_ids(facts, dir); !done) return fail(std::move(done.error()));
  attach_usable(facts.accelerators, facts.usable);
  return facts;
}

void attach_usable(std::vector<Accelerator>& cards, const UsableRules& rules) {
  for (Accelerator& card : cards) {
    card.usable = {};
    for (const UsableRule& rule : rules.rules) {
      if (rule.family == family_of(card)) card.usable.rule = rule;
    }
    for (const UsableRules::Capture& capture : rules.captures) {
      if (std::ranges::find(capture.cards, card.id) != capture.cards.end()) {
        card.usable.seen.push_back(capture.seen);
      }
    }
  }
}

}  // namespace steelyard::facts
