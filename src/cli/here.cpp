#include "cli/here.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace steelyard::cli {
namespace {

constexpr std::uint64_t most_bytes = 1 << 20;

// The value behind "Key:" on its own line, trimmed; "" when absent.
std::string field(const std::string& text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(key)) return std::string(trim(line.substr(key.size())));
  }
  return "";
}

std::uint64_t leading_number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Names of the cards that the NVIDIA driver lists; each folder is one card.
std::vector<std::string> driver_cards(os::Files& files) {
  std::vector<std::string> names;
  const std::string root = "/proc/driver/nvidia/gpus";
  const auto folders = files.list(root);
  if (!folders) return names;
  for (const std::string& folder : *folders) {
    const auto text = files.read(root + "/" + folder + "/information", 0, most_bytes);
    const std::string name = text ? field(*text, "Model:") : "";
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::optional<Machine> nvidia_machine(World& world, const facts::Catalogue& catalogue) {
  const std::vector<std::string> names = driver_cards(world.files);
  if (names.empty()) return std::nullopt;
  const facts::CardMatch match = catalogue.find_card(names.front());
  if (match.variants.empty()) return std::nullopt;
  const auto same = static_cast<std::uint32_t>(std::ranges::count(names, names.front()));
  Machine machine;
  machine.request.card = memory::card_memory(*match.variants.front());
  machine.description = fmt::format(
      "{}x {}, as its driver names it; judged as {} from the catalogue, one card at a time", same,
      names.front(), match.variants.front()->name);
  return machine;
}

}  // namespace

Result<Machine> this_machine(World& world, const facts::Catalogue& catalogue) {
  if (auto machine = nvidia_machine(world, catalogue)) return *machine;
  auto text = world.files.read("/proc/meminfo", 0, most_bytes);
  const std::uint64_t kib = text ? leading_number(field(*text, "MemAvailable:")) : 0;
  if (kib == 0) {
    return fail({.kind = ErrorKind::not_found,
                 .what = "neither a GPU driver nor the host's memory can be read here",
                 .file = "/proc/meminfo",
                 .try_this = "name a card: steelyard models --gpu \"RTX 4090\""});
  }
  Bytes memory(saturating_mul(kib, 1024));
  std::string limit;
  // A container sees the host's memory but may not use it; "max" reads as 0.
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const auto cap = world.files.read(path, 0, most_bytes);
    const std::uint64_t value = cap ? leading_number(*cap) : 0;
    if (value > 0 && Bytes(value) < memory) {
      memory = Bytes(value);
      limit = ", limited by its container";
    }
  }
  Machine machine;
  machine.request.engine.kind = memory::EngineKind::llama_cpp;
  machine.request.card =
      memory::CardMemory{.name = "host memory",
                         .usable = ByteFigure{memory, memory, memory, Origin::measured},
                         .basis = "MemAvailable of /proc/meminfo" + limit,
                         .count = 1};
  machine.description =
      fmt::format("no GPU driver found: {} of host memory{}, llama.cpp on the CPU",
                  format_bytes(memory), limit);
  return machine;
}

}  // namespace steelyard::cli
