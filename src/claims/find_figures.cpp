// Numbers with a unit: "1248TFLOPS", "296T", "9999 AI TOPS", "3.35 TB/s", "16384 CUDA cores",
// "显存 24", "165/330 TFLOPS", "1979 万亿次".
#include <algorithm>
#include <array>
#include <cmath>

#include "claims/advert.h"
#include "claims/scan.h"

namespace steelyard::claims {
namespace {

struct Unit {
  std::string_view word;  // lower case
  Measure quantity;
  double scale;
  bool integer = false;
  bool binary = false;
  Part part = Part::none;
};

constexpr Unit part_unit(std::string_view word, Part part, double scale = 1) {
  return {word, Measure::part, scale, false, false, part};
}

// Longer words first where one begins another.
constexpr auto units = std::to_array<Unit>({
    {"tflop/s", Measure::rate, 1e12},
    {"tflops", Measure::rate, 1e12},
    {"teraflops", Measure::rate, 1e12},
    {"teraflop", Measure::rate, 1e12},
    {"tflop", Measure::rate, 1e12},
    {"tf", Measure::rate, 1e12},
    {"tops", Measure::rate, 1e12, true},
    {"top/s", Measure::rate, 1e12, true},
    {"pflop/s", Measure::rate, 1e15},
    {"pflops", Measure::rate, 1e15},
    {"petaflops", Measure::rate, 1e15},
    {"petaflop", Measure::rate, 1e15},
    {"pflop", Measure::rate, 1e15},
    {"pf", Measure::rate, 1e15},
    {"pops", Measure::rate, 1e15, true},
    {"petaops", Measure::rate, 1e15, true},
    {"eflop/s", Measure::rate, 1e18},
    {"eflops", Measure::rate, 1e18},
    {"exaflops", Measure::rate, 1e18},
    {"exaflop", Measure::rate, 1e18},
    {"eflop", Measure::rate, 1e18},
    {"eops", Measure::rate, 1e18, true},
    {"gflops", Measure::rate, 1e9},
    {"gflop/s", Measure::rate, 1e9},
    {"万亿次", Measure::rate, 1e12},
    {"十万亿次", Measure::rate, 1e13},
    {"百万亿次", Measure::rate, 1e14},
    {"千万亿次", Measure::rate, 1e15},
    {"亿亿次", Measure::rate, 1e16},
    {"百亿亿次", Measure::rate, 1e18},
    {"tb/s", Measure::bandwidth, 1e12},
    {"tbps", Measure::bandwidth, 1e12},
    {"tb/秒", Measure::bandwidth, 1e12},
    {"gb/s", Measure::bandwidth, 1e9},
    {"gb/sec", Measure::bandwidth, 1e9},
    {"gbps", Measure::bandwidth, 1e9},
    {"gbit/s", Measure::bandwidth, 1e9},
    {"gb/秒", Measure::bandwidth, 1e9},
    {"gb每秒", Measure::bandwidth, 1e9},
    {"g/s", Measure::bandwidth, 1e9},
    {"t/s", Measure::bandwidth, 1e12},
    part_unit("cuda cores", Part::shader_cores),
    part_unit("cuda core", Part::shader_cores),
    part_unit("个cuda核心", Part::shader_cores),
    part_unit("个cuda", Part::shader_cores),
    part_unit("cuda核心", Part::shader_cores),
    part_unit("cuda核", Part::shader_cores),
    part_unit("cuda", Part::shader_cores),
    part_unit("个流处理器", Part::shader_cores),
    part_unit("流处理器", Part::shader_cores),
    part_unit("stream processors", Part::shader_cores),
    part_unit("shaders", Part::shader_cores),
    part_unit("shader cores", Part::shader_cores),
    part_unit("tensor cores", Part::tensor_cores),
    part_unit("tensor core", Part::tensor_cores),
    part_unit("个tensor core", Part::tensor_cores),
    part_unit("tensor核心", Part::tensor_cores),
    part_unit("个张量核心", Part::tensor_cores),
    part_unit("张量核心", Part::tensor_cores),
    part_unit("rt cores", Part::ray_cores),
    part_unit("rt core", Part::ray_cores),
    part_unit("rt核心", Part::ray_cores),
    part_unit("光追核心", Part::ray_cores),
    part_unit("streaming multiprocessors", Part::multiprocessors),
    part_unit("compute units", Part::multiprocessors),
    part_unit("sms", Part::multiprocessors),
    part_unit("个sm", Part::multiprocessors),
    part_unit("sm", Part::multiprocessors),
    part_unit("cus", Part::multiprocessors),
    part_unit("cu", Part::multiprocessors),
    part_unit("-bit", Part::bus),
    part_unit("bits", Part::bus),
    part_unit("bit", Part::bus),
    part_unit("位", Part::bus),
    part_unit("mhz", Part::clock, 1e6),
    part_unit("ghz", Part::clock, 1e9),
    part_unit("mb l2", Part::cache, 1048576),
    part_unit("mib l2", Part::cache, 1048576),
    part_unit("m l2", Part::cache, 1048576),
    part_unit("mb二级缓存", Part::cache, 1048576),
    part_unit("mb缓存", Part::cache, 1048576),
    part_unit("mb cache", Part::cache, 1048576),
    {"tib", Measure::memory, 1099511627776.0, false, true},
    {"tb", Measure::memory, 1e12},
    {"gib", Measure::memory, 1073741824.0, false, true},
    {"gi", Measure::memory, 1073741824.0, false, true},
    {"gb", Measure::memory, 1e9},
    {"mib", Measure::memory, 1048576, false, true},
    {"mb", Measure::memory, 1048576, false, true},
    {"kw", Measure::power, 1e3},
    {"千瓦", Measure::power, 1e3},
    {"watts", Measure::power, 1},
    {"watt", Measure::power, 1},
    {"瓦", Measure::power, 1},
    {"t", Measure::rate, 1e12},
    {"p", Measure::rate, 1e15},
    {"g", Measure::memory, 1e9},
    {"w", Measure::power, 1},
});

// Words that may stand between a number and its unit: "9999 AI TOPS", "312 FP16 tensor TFLOPS".
constexpr std::string_view between[] = {
    "ai",     "fp64",   "fp32",      "tf32",        "fp16",  "bf16",      "fp8",
    "fp6",    "fp4",    "nvfp4",     "int8",        "int4",  "tensor",    "core",
    "cores",  "dense",  "sparse",    "peak",        "稠密",  "稀疏",      "半精度",
    "单精度", "双精度", "理论",      "峰值",        "的",    "marketing", "half",
    "single", "double", "precision", "theoretical", "total", "effective", "matrix"};
constexpr std::string_view precision_words[] = {"fp64", "fp32", "tf32",   "fp16",   "bf16",
                                                "fp8",  "fp6",  "nvfp4",  "mxfp4",  "fp4",
                                                "int8", "int4", "半精度", "单精度", "双精度"};

struct Label {
  std::string_view word;
  Unit unit;
};
constexpr Unit rate_unit{"", Measure::rate, 1e12}, ops_unit{"", Measure::rate, 1e12, true},
    peta_unit{"", Measure::rate, 1e15}, size_unit{"", Measure::memory, 1e9},
    speed_unit{"", Measure::bandwidth, 1e9}, watt_unit{"", Measure::power, 1};
constexpr auto figure_labels = std::to_array<Label>({
    {"tflops", rate_unit},
    {"ai tops", ops_unit},
    {"tops", ops_unit},
    {"pflops", peta_unit},
    {"算力", rate_unit},
    {"fp64", rate_unit},
    {"fp32", rate_unit},
    {"tf32", rate_unit},
    {"fp16", rate_unit},
    {"bf16", rate_unit},
    {"fp8", rate_unit},
    {"fp4", rate_unit},
    {"int8", ops_unit},
    {"int4", ops_unit},
    {"半精度", rate_unit},
    {"单精度", rate_unit},
    {"双精度", rate_unit},
    {"稠密", rate_unit},
    {"稀疏", rate_unit},
    {"显存容量", size_unit},
    {"显存大小", size_unit},
    {"显存", size_unit},
    {"vram", size_unit},
    {"memory", size_unit},
    {"显存带宽", speed_unit},
    {"内存带宽", speed_unit},
    {"带宽", speed_unit},
    {"bandwidth", speed_unit},
    {"nvlink", speed_unit},
    {"tdp", watt_unit},
    {"tgp", watt_unit},
    {"功耗", watt_unit},
    {"功率", watt_unit},
    {"power", watt_unit},
    {"cuda cores", part_unit("", Part::shader_cores)},
    {"cuda核心数", part_unit("", Part::shader_cores)},
    {"cuda核心", part_unit("", Part::shader_cores)},
    {"cuda核", part_unit("", Part::shader_cores)},
    {"流处理器", part_unit("", Part::shader_cores)},
    {"tensor cores", part_unit("", Part::tensor_cores)},
    {"tensor core", part_unit("", Part::tensor_cores)},
    {"张量核心", part_unit("", Part::tensor_cores)},
    {"rt cores", part_unit("", Part::ray_cores)},
    {"sm数量", part_unit("", Part::multiprocessors)},
    {"sm数", part_unit("", Part::multiprocessors)},
    {"位宽", part_unit("", Part::bus)},
    {"bus width", part_unit("", Part::bus)},
});

struct Placed {
  Unit unit;
  std::size_t end = 0;
  bool ai = false;
};

std::optional<Placed> unit_at(std::string_view lowered, std::size_t at) {
  for (const Unit& unit : units) {
    if (word_at(lowered, at, unit.word)) return Placed{unit, at + unit.word.size()};
  }
  return std::nullopt;
}

// "FP16 tensor TFLOPS" behind a number. Only a rate may have words before its unit.
std::optional<Placed> unit_behind_words(std::string_view lowered, std::size_t at) {
  bool ai = false;
  for (int words = 0; words < 5; ++words) {
    const std::size_t length = any_at(lowered, at, between);
    if (length == 0) return std::nullopt;
    ai = ai || lowered.substr(at, length) == "ai";
    at = skip_blanks(lowered, at + length);
    while (at < lowered.size() && (lowered[at] == '-' || lowered[at] == '/')) ++at;
    const auto placed = unit_at(lowered, at);
    if (placed && placed->unit.quantity == Measure::rate && placed->unit.word.size() > 1) {
      return Placed{placed->unit, placed->end, ai};
    }
  }
  return std::nullopt;
}

// The unit of the number that ends at `end`; a list "165/330 TFLOPS" shares its last unit.
std::optional<Placed> unit_of(std::string_view lowered, std::size_t end, int depth = 0) {
  const std::size_t at = skip_blanks(lowered, end);
  if (auto placed = unit_behind_words(lowered, at)) return placed;
  if (auto placed = unit_at(lowered, at)) {
    // "1080p" is a screen.
    return placed;
  }
  if (depth == 0) {
    // "156 TF32", "989 BF16": the precision stands for the unit.
    const std::size_t length = any_at(lowered, at, precision_words);
    if (length > 0) return Placed{rate_unit, at + length};
  }
  constexpr std::string_view joints[] = {"/",  "~",  "-",  "–",  "、", "至",
                                         "到", "或", "or", "to", "|",  "vs"};
  for (const std::string_view joint : joints) {
    if (depth > 3 || !word_at(lowered, at, joint)) continue;
    const std::size_t next = skip_blanks(lowered, at + joint.size());
    const auto number = number_at(lowered, next);
    if (!number) continue;
    auto placed = unit_of(lowered, number->end, depth + 1);
    if (placed) placed->end = end;
    return placed;
  }
  return std::nullopt;
}

// "算力(T): 660", "TDP 450", "FP16: 330".
std::optional<Placed> unit_before(std::string_view lowered, std::size_t at, const Number& number) {
  if (number.end < lowered.size() && is_word(lowered[number.end])) return std::nullopt;
  std::optional<Unit> bracketed;
  const auto back = [&](std::size_t end) {
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::string_view sign :
           {" ", ":", "：", "=", "为", "是", "约", "达", "高达", "可达", "about", "is", "up to",
            "算力", "性能", "≈", "~", "rate", "performance"}) {
        if (end >= sign.size() && lowered.substr(0, end).ends_with(sign)) {
          if (sign == "算力" && any_before(lowered, end - sign.size(), precision_words) == 0)
            continue;
          end -= sign.size();
          moved = true;
        }
      }
    }
    return end;
  };
  std::size_t end = back(at);
  if (end > 0 && (lowered[end - 1] == ')' || lowered.substr(0, end).ends_with("）"))) {
    const std::size_t open = lowered.rfind('(', end - 1);
    if (open == std::string_view::npos || end - open > 16) return std::nullopt;
    if (const auto placed = unit_at(lowered, open + 1)) bracketed = placed->unit;
    end = back(open);
  }
  for (const Label& label : figure_labels) {
    if (!word_before(lowered, end, label.word)) continue;
    // A small number behind NVLink is its generation.
    if (label.word == "nvlink" && number.value < 50) continue;
    // "PyTorch 2.4 FP16 4090": a label belongs to a number straight behind it only.
    Unit unit = bracketed.value_or(label.unit);
    return Placed{unit, number.end, label.word == "ai tops"};
  }
  return std::nullopt;
}

bool minus_before(std::string_view text, std::size_t at) {
  if (at == 0 || text[at - 1] != '-') return false;
  if (at == 1) return true;
  const char c = text[at - 2];
  return c == ' ' || c == '(' || c == ':' || c == '\n' || c == ',' || c == '=';
}

// "Gbps", "Gb/s": a small b counts bits. Text all in small letters says nothing.
bool counts_bits(std::string_view written, const Unit& unit) {
  if (unit.quantity != Measure::bandwidth) return false;
  if (unit.word == "gbit/s") return true;
  const std::size_t b = written.find('b');
  return b != std::string_view::npos && b > 0 && (written[b - 1] == 'G' || written[b - 1] == 'T');
}

Figure figure_of(const Advert& advert, std::size_t at, const Number& number, const Placed& placed) {
  const double step = number.last_digit / number.value;
  const Unit& unit = placed.unit;
  const double least = unit.quantity == Measure::part ? 0.005 : 0.012;
  return {.quantity = unit.quantity,
          .value = number.value * unit.scale,
          .tolerance = std::clamp(0.5 * step, least, 0.05),
          .cut_off = number.significant >= 2 ? std::min(step, 0.1) : 0,
          .text = advert.text.substr(at, placed.end - at),
          .at = at,
          .end = placed.end,
          .integer_unit = unit.integer,
          .labelled_gb = !unit.binary,
          .bits = counts_bits(std::string_view(advert.text).substr(at, placed.end - at), unit),
          .ai = placed.ai,
          .part = unit.part};
}

// "NVLink 600G", "带宽 3.35T", "4.8T带宽": sellers leave out "B/s".
bool short_speed(const Advert& advert, std::size_t at, const Number& number, const Placed& placed) {
  constexpr std::string_view speeds[] = {"带宽", "bandwidth", "nvlink", "互联"};
  const std::string_view text = advert.lowered, word = placed.unit.word;
  if (word != "g" && word != "t" && word != "gb" && word != "tb") return false;
  std::size_t end = back_over_blanks(text, at);
  if (end > 0 && text[end - 1] == ':') end = back_over_blanks(text, end - 1);
  const std::size_t before = any_before(text, end, speeds);
  if (before == 0 && any_at(text, skip_blanks(text, placed.end), speeds) == 0) return false;
  const bool giga = word.front() == 'g';
  if (giga && label_of_a_card(advert, number.value)) return false;
  if (speed_of_a_card(advert, number.value * (giga ? 1e9 : 1e12))) return true;
  // No card has that memory, so the figure is the link's that stands before it.
  const bool link = before > 0 && text.substr(0, end).ends_with("nvlink");
  const bool sum = std::ranges::any_of(advert.cards.all, [&](std::uint32_t cards) {
    return label_of_a_card(advert, number.value / cards);
  });
  return link && giga && number.value >= 300 && !sum;
}

// Screens are no rates. In a card's name only memory, or a number with its unit glued to it
// ("A800 80G NVLink 400GB/s" is taken for a name whole), is a figure.
bool no_figure(const Number& number, const Unit& unit, bool in_name, bool glued) {
  constexpr double screens[] = {480, 720, 1080, 1440, 2160, 4320};
  if (unit.word == "p" && std::ranges::find(screens, number.value) != std::end(screens))
    return true;
  return in_name && (unit.word.empty() || (!glued && unit.quantity != Measure::memory));
}

}  // namespace

bool has_own_unit(std::string_view lowered, std::size_t end) {
  const auto placed = unit_of(lowered, end);
  if (!placed) return false;
  const Unit& unit = placed->unit;
  if (unit.quantity == Measure::rate) return unit.word.size() > 2;
  return unit.quantity == Measure::bandwidth ||
         (unit.quantity == Measure::part && unit.part != Part::bus && unit.part != Part::clock &&
          unit.part != Part::cache);
}

bool has_unit(std::string_view lowered, std::size_t end) {
  return unit_at(lowered, skip_blanks(lowered, end)).has_value();
}

Status find_figures(Advert& advert) {
  const std::string& text = advert.lowered;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside = i > 0 && (is_word(text[i - 1]) || text[i - 1] == '.' || text[i - 1] == '_');
    if (!is_digit(text[i]) || inside || advert.is_taken(i)) continue;
    const auto number = number_at(text, i);
    if (!number) {
      while (i + 1 < text.size() && is_word(text[i + 1])) ++i;
      continue;
    }
    const bool in_name =
        std::ranges::any_of(advert.named, [&](const Named& n) { return i >= n.at && i < n.end; });
    auto placed = unit_of(text, number->end);
    if (!placed && !in_name) placed = unit_before(text, i, *number);
    const bool glued = number->end < text.size() && is_word(text[number->end]);
    if (!placed || no_figure(*number, placed->unit, in_name, glued)) {
      i = number->end - 1;
      continue;
    }
    if (short_speed(advert, i, *number, *placed)) {
      placed->unit = {"", Measure::bandwidth, placed->unit.word.front() == 'g' ? 1e9 : 1e12};
    }
    const Span span{i, std::max(placed->end, number->end)};
    if (minus_before(text, i)) return fail(refused(advert, span, "is a figure below zero"));
    if (!(number->value > 0)) return fail(refused(advert, span, "is a figure of zero"));
    placed->end = span.end;
    advert.figures.push_back(figure_of(advert, i, *number, *placed));
    advert.take(span);
    i = number->end - 1;
  }
  return {};
}

}  // namespace steelyard::claims
