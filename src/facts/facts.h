// Front header of the catalogue: cards, links, formats, and how names find them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/base.h"
#include "facts/format.h"
#include "facts/links.h"
#include "facts/quality.h"
#include "facts/usable.h"
#include "os/os.h"

namespace steelyard::facts {

// How far a card's row may be trusted.
enum class Confidence { read, mixed, partial, recalled, unverified };
std::string_view confidence_word(Confidence confidence);

// One product variant (SXM, PCIe and NVL apart). Empty optionals are "not known", never 0.
struct Accelerator {
  std::string id;    // "nvidia-a100-sxm4-80gb"
  std::string name;  // our canonical name, "A100 SXM4 80GB"
  std::string vendor, architecture, form;
  std::string socket;              // "sxm", "pcie", "nvl", "board"; empty where only one exists
  std::string compute_capability;  // "8.0" or a gfx target
  std::vector<std::string> aliases;
  std::vector<std::string> short_names;  // what is left of a name without maker, size and socket
  std::vector<std::string> pci_device_ids;
  double sold_as_gb = 0;                // the label; 0 when none is known
  std::vector<double> also_sold_as_gb;  // other labels for the same memory
  std::optional<Bytes> reported;        // what NVML / the vendor's tool says, default ECC state
  std::optional<Bytes> reported_ecc_flipped;  // the same with ECC in the other state
  std::vector<Bytes> reported_older_drivers;  // the same as older drivers print it
  std::string reported_note;
  // How many devices the operating system shows for one card (dies, stacks). `reported` is of one,
  // and so is what an engine sees; label, bandwidth, rates and power are of the whole card.
  int devices = 1;
  std::string ecc;  // "none", "inline", "sideband", ...
  bool ecc_default_on = false;
  std::string memory_type;
  std::optional<double> bus_bits, pin_rate_gbps;
  std::optional<BytesPerSecond> bandwidth;
  // Dense rates, FLOP/s (or op/s), by key: "fp32", "tf32", "fp16_fp32acc", "fp16_fp16acc", "bf16",
  // "fp8", "fp8_fp16acc", "int8", "fp4"; "fp64" only where it was cut below its generation's.
  std::map<std::string, FlopPerSecond> dense;
  std::optional<double> sparse_multiplier, sm_count, boost_hz;
  std::string sm_kind;
  std::optional<Bytes> l2;
  std::optional<Watts> tdp;
  std::string link;  // key into links
  std::optional<BytesPerSecond> link_bidirectional;
  std::string pcie_generation;
  std::optional<int> pcie_lanes;
  std::optional<int> mig_max, launch_year;
  Confidence confidence = Confidence::unverified;
  bool commonest = false;             // the variant taken when a short name fits several
  bool modified = false;              // not a vendor's product: found only when the name says so
  std::vector<std::string> recalled;  // figures weaker than `confidence`, by their TOML key
  std::vector<std::string> other_values;  // competing or qualified values seen
  std::string licence_note, notes, sources;
  std::map<std::string, std::string> extra;  // remaining columns, for `gpus`
  UsableFacts usable;                        // captures and rule behind usable_memory()

  bool operator==(const Accelerator&) const = default;
};

// The keys of Accelerator::dense, in the order they are shown.
std::span<const std::string_view> dense_rates();
// Whether the chip has matrix units for that rate, from its generation; nothing when not known.
// False also explains why a format runs as weight-only there ("fp8" on an A100).
std::optional<bool> has_units(const Accelerator& card, std::string_view rate);

// Rates that adverts print beside dense_rates(): "fp64", "fp64_matrix", "fp16_shader", "int4". From
// the row, else from its FP32 or INT8 rate and the generation; nothing where neither says.
std::optional<FlopPerSecond> derived_rate(const Accelerator& card, std::string_view rate);

// What a chip is made of; 0 where the generation has none or it is not known.
struct ChipParts {
  double multiprocessors = 0, shader_cores = 0, tensor_cores = 0, ray_cores = 0;
};
std::optional<ChipParts> chip_parts(const Accelerator& card);

// What a name means. `variants` best first; empty when nothing fits, then `nearest` has three
// names.
struct CardMatch {
  std::vector<const Accelerator*> variants;
  bool assumed = false;  // several variants fit; the first is the commonest, not the only one
  std::vector<std::string> nearest;
};

class Catalogue {
 public:
  // The facts built into the program. Errors: internal (a broken build).
  static Result<Catalogue> embedded();
  // Adds or overrides cards (by id) from DIR/accelerators/*.toml, links from DIR/links/*.toml.
  // Errors name file, table and field.
  Status overlay(os::Files& files, const std::string& dir);

  std::span<const Accelerator> accelerators() const { return accelerators_; }
  std::span<const Link> links() const { return links_; }
  CardMatch find_card(std::string_view name) const;
  // By key or alias ("nvlink4", "PCIe 4.0 x16", "IB NDR", "25GbE"); null when nothing fits.
  const Link* find_link(std::string_view name) const;

 private:
  friend struct Facts;
  void index_names();
  std::vector<Accelerator> accelerators_;
  // Cards by the key of each whole name they have; price lists ask for thousands.
  std::unordered_map<std::string, std::vector<std::size_t>> by_name_;
  std::vector<Link> links_;
  UsableRules usable_rules_;
};

// State of error correction the figure is wanted for.
enum class Ecc { as_shipped, other };

// The rule of data/accelerators/usable.toml: a seen CUDA total where one was captured, else NVML's
// total less the driver's share, with a band. Never above what NVML reports or the label says.
UsableMemory usable_memory(const Accelerator& card, Ecc ecc = Ecc::as_shipped);

}  // namespace steelyard::facts
