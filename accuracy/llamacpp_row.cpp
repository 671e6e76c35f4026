#include "llamacpp_row.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace steelyard::accuracy {

namespace {

constexpr std::string_view cache_formats[] = {"q8_0", "q5_1", "q5_0", "q4_1",
                                              "q4_0", "f16",  "bf16", "f32"};

// Cache formats in the order in which the log line names them.
std::vector<std::string> formats_named(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const auto format : cache_formats) {
    for (std::size_t at = text.find(format); at != std::string_view::npos;
         at = text.find(format, at + 1)) {
      found.emplace_back(at, std::string(format));
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> out;
  for (auto& [at, name] : found) out.push_back(std::move(name));
  return out;
}

// First number before " cells".
std::optional<std::uint64_t> cells_named(const std::string& text) {
  const std::size_t at = text.find(" cells");
  if (at == std::string::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data() + begin, text.data() + at, value);
  if (code != std::errc{}) return std::nullopt;
  return value;
}

// Which maker's backend printed the devices; the memory rules tell backends by the card's name.
std::string card_name(const LlamaRow& row) {
  const std::string all =
      row.cell("model_buffers_mib") + row.cell("kv_buffers_mib") + row.cell("compute_buffers_mib");
  for (const auto& [prefix, name] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"CUDA", "NVIDIA"},
                                                                            {"ROCm", "AMD"},
                                                                            {"SYCL", "Intel"},
                                                                            {"CANN", "Ascend"},
                                                                            {"Metal", "Apple"},
                                                                            {"MTL", "Apple"},
                                                                            {"RPC", "RPC"},
                                                                            {"HTP", "HTP"},
                                                                            {"Vulkan", "Vulkan"}}) {
    if (contains_icase(all, prefix)) return std::string(name);
  }
  return row.has("gpu") ? row.cell("gpu") : std::string();
}

std::uint32_t card_count(const LlamaRow& row, bool& rows_split) {
  std::uint32_t count = 0;
  for (const auto* column : {"model_buffers_mib", "kv_buffers_mib", "compute_buffers_mib"}) {
    for (const auto& [device, mib] : row.by_device(column)) {
      rows_split = rows_split || device.ends_with("_Split");
      if (const auto number = card_number(device)) count = std::max(count, *number + 1);
    }
  }
  return count;
}

}  // namespace

std::optional<std::uint64_t> LlamaRow::number(std::string_view column) const {
  const std::string& text = cell(column);
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{}) return std::nullopt;
  return value;
}

std::optional<double> LlamaRow::real(std::string_view column) const {
  const std::string& text = cell(column);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{}) return std::nullopt;
  return value;
}

std::map<std::string, double> LlamaRow::by_device(std::string_view column) const {
  std::map<std::string, double> out;
  for (const std::string_view part : split(cell(column), ';')) {
    const std::size_t at = part.find('=');
    if (at == std::string_view::npos) continue;
    double value = 0;
    const auto figure = part.substr(at + 1);
    const auto [end, code] = std::from_chars(figure.data(), figure.data() + figure.size(), value);
    if (code == std::errc{}) out[std::string(trim(part.substr(0, at)))] = value;
  }
  return out;
}

std::optional<std::uint32_t> card_number(const std::string& device) {
  if (device.starts_with("CPU") || device.find("Host") != std::string::npos ||
      device.starts_with("AMX") || device.starts_with("BLAS") || device == "total") {
    return std::nullopt;
  }
  if (device.starts_with("VRAM") || device.starts_with("Metal") || device == "CANN") return 0;
  const std::size_t at = device.find_first_of("0123456789");
  if (at == std::string::npos || device.starts_with("RPC[")) return std::nullopt;
  std::uint32_t value = 0;
  std::from_chars(device.data() + at, device.data() + device.size(), value);
  return std::min(value, 63U);
}

std::optional<memory::Version> build_of_row(const LlamaRow& row) {
  // Issue number and the build of that day, read off the release list; between two, in proportion.
  static constexpr std::array<std::pair<double, double>, 16> days = {{{3300, 1270},
                                                                      {4000, 1500},
                                                                      {5150, 2000},
                                                                      {6220, 2500},
                                                                      {7550, 3000},
                                                                      {8800, 3500},
                                                                      {10100, 4000},
                                                                      {11280, 4500},
                                                                      {12650, 5000},
                                                                      {13800, 5500},
                                                                      {14900, 6000},
                                                                      {16050, 6500},
                                                                      {17130, 7000},
                                                                      {19500, 8000},
                                                                      {23861, 9450},
                                                                      {28000, 10900}}};
  const auto version = [](std::uint32_t build) {
    return memory::Version{.parts = {build, 0, 0}, .text = "b" + std::to_string(build)};
  };
  if (row.is_fork()) return version(3700);  // forked off in August 2024
  if (const auto told = row.number("build")) return version(static_cast<std::uint32_t>(*told));
  if (contains_icase(row.cell("compute_buffers_mib"), "total=")) return version(1700);
  const std::string& source = row.cell("source");
  if (contains_icase(source, "GPU-Benchmarks-on-LLM-Inference")) return version(2800);
  const std::size_t at = source.find("llama.cpp#");
  if (at == std::string::npos) return std::nullopt;
  double issue = 0;
  const char* begin = source.data() + at + 10;
  if (std::from_chars(begin, source.data() + source.size(), issue).ec != std::errc{}) return {};
  for (std::size_t i = 1; i < days.size(); ++i) {
    if (issue > days[i].first && i + 1 < days.size()) continue;
    const auto& [from, low] = days[i - 1];
    const auto& [to, high] = days[i];
    const double share = std::clamp((issue - from) / (to - from), 0.0, 1.5);
    return version(static_cast<std::uint32_t>(low + (high - low) * share));
  }
  return std::nullopt;
}

std::expected<memory::Request, std::string> request_of_row(const LlamaRow& row) {
  memory::Request out;
  out.engine.kind = memory::EngineKind::llama_cpp;
  out.engine.version = build_of_row(row);  // nothing: the newest rules, as for any user
  auto& w = out.workload;
  bool rows_split = false;
  const std::uint32_t cards = card_count(row, rows_split);
  const auto layers = row.number("gpu_layers");
  if (cards > 0 || row.has("gpu")) {
    memory::CardMemory card{.name = card_name(row), .usable = ByteFigure::exact(gib(65536))};
    card.count = std::max(1U, cards);
    if (rows_split) {
      out.placement.tp = card.count;
    } else {
      out.placement.pp = card.count;
    }
    out.card = card;
    if (layers) w.gpu_layers = static_cast<std::int64_t>(*layers);
  } else if (!layers || *layers == 0) {
    w.gpu_layers = 0;
  }
  const std::string& kv = row.cell("kv_types_as_logged");
  const auto formats = formats_named(kv);
  if (!formats.empty()) w.kv_k = formats.front();
  if (formats.size() > 1 && kv.find("V") != std::string::npos) w.kv_v = formats[1];
  if (row.has("flash_attn")) {
    w.flash_attention = row.cell("flash_attn") == "1" ? memory::Toggle::on : memory::Toggle::off;
  }
  w.ubatch = row.number("n_ubatch");
  const auto context = row.number("n_ctx");
  const auto sequences = row.number("n_seq_max");
  // Four slots are the newer default and share one cache; any other number was asked for.
  if (sequences && *sequences != 4) w.concurrency = *sequences;
  if (!sequences) w.concurrency = 1;
  if (context) {
    // The newer logs name the cells of one sequence.
    const bool each = sequences && *sequences > 1 && cells_named(kv) == context;
    (each ? w.context : w.ctx_size) = *context;
  }
  // "2 rs_seq": states kept for that many steps of speculative rollback.
  const std::string& states = row.cell("recurrent_state_mib");
  if (const std::size_t at = states.find(" rs_seq"); at != std::string::npos && at > 0) {
    w.mtp = static_cast<std::uint64_t>(std::max(0, states[at - 1] - '0'));
  }
  // Every layer on a card, yet most of a model of experts in host memory: the experts stayed there.
  double on_cards = 0, on_host = 0;
  for (const auto& [device, mib] : row.by_device("model_buffers_mib")) {
    (card_number(device) ? on_cards : on_host) += mib;
  }
  const auto total = row.number("n_layer");
  const bool all = layers && total && *layers > *total;
  if (all && row.number("n_expert").value_or(0) > 0 && on_host > on_cards) w.offload = "cpu";
  if (row.has("mla_attn")) w.mla_mode = row.cell("mla_attn");
  const bool latent = kv.find("c^KV") != std::string::npos;
  if (row.is_fork() && w.mla_mode.empty()) w.mla_mode = latent ? "2" : "0";
  w.attention_max_batch_mib = row.number("attn_max_b_mib");
  return out;
}

}  // namespace steelyard::accuracy
