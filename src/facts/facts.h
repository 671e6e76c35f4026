// Front header of the catalogue: cards, links, formats, and how names find them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/base.h"
#include "facts/format.h"
#include "os/os.h"

namespace steelyard::facts {

// How far a card's row may be trusted.
enum class Confidence { read, mixed, partial, recalled, unverified };

// One product variant (SXM, PCIe and NVL apart). Empty optionals are "not known", never 0.
struct Accelerator {
  std::string id;    // "nvidia-a100-sxm-80gb"
  std::string name;  // our canonical name, "A100 SXM 80GB"
  std::string vendor, architecture, form;
  std::string compute_capability;  // "8.0" or a gfx target
  std::vector<std::string> aliases;
  std::vector<std::string> pci_device_ids;
  double sold_as_gb = 0;          // the label
  std::optional<Bytes> reported;  // what NVML / the vendor's tool says, default ECC state
  std::optional<Bytes> reported_ecc_flipped;  // the same with ECC in the other state
  std::string ecc;                            // "none", "inline", "sideband", ...
  bool ecc_default_on = false;
  std::string memory_type;
  std::optional<double> bus_bits, pin_rate_gbps;
  std::optional<BytesPerSecond> bandwidth;
  // Dense rates, FLOP/s (or op/s), by key: "fp32", "tf32", "fp16_fp32acc", "fp16_fp16acc", "bf16",
  // "fp8", "fp8_fp16acc", "int8", "fp4".
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
  bool commonest = false;  // the variant taken when a short name fits several
  std::string licence_note, notes, sources;
  std::map<std::string, std::string> extra;  // remaining columns, for `gpus`
};

// What an engine can see on a card (CUDA's total), with its band and the rule or capture behind it.
struct UsableMemory {
  ByteFigure total;
  std::string basis;
};

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
  // Adds or overrides cards from DIR/accelerators/*.toml. Errors name file, table and field.
  Status overlay(os::Files& files, const std::string& dir);

  std::span<const Accelerator> accelerators() const { return accelerators_; }
  CardMatch find_card(std::string_view name) const;

 private:
  std::vector<Accelerator> accelerators_;
};

// The rule of data/accelerators/usable.toml: a seen CUDA total where one was captured, else NVML's
// total less the driver's share, with a band.
UsableMemory usable_memory(const Accelerator& card);

}  // namespace steelyard::facts
