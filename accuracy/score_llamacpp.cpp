// llama.cpp: cache, states, model and compute buffers of the logs, and what fitted.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "accuracy.h"
#include "llamacpp_row.h"

namespace steelyard::accuracy {

namespace {

constexpr double per_mib = 1048576.0;

// Sum of the answer's buffers of a kind; `card` nothing = the host's.
double predicted_mib(const memory::Answer& answer, std::string_view kind,
                     std::optional<std::uint32_t> card) {
  double sum = 0;
  for (const auto& b : answer.buffers) {
    if (b.kind != kind || b.device == "CPU_Mapped") continue;
    if (card_number(b.device) == card) sum += b.bytes.value.as_double() / per_mib;
  }
  return sum;
}

double predicted_total(const memory::Answer& answer, std::string_view kind) {
  double sum = 0;
  for (const auto& b : answer.buffers) {
    if (b.kind == kind) sum += b.bytes.value.as_double() / per_mib;
  }
  return sum;
}

// One row on its way into the tables.
class RowScorer {
 public:
  RowScorer(const LlamaRow& row, std::vector<Scored>& out) : row_(row), out_(out) {
    prefix_ = row.is_fork() ? "ik_llama.cpp " : "llama.cpp ";
    if (auto request = request_of_row(row)) {
      request_ = *request;
    } else {
      missing_ = request.error();
    }
    auto m = model_of_row(row);
    if (!m) {
      missing_ = m.error();
      return;
    }
    model_ = *m;
    auto answer = memory::size(*model_, request_);
    if (answer) {
      answer_ = *answer;
    } else {
      missing_ = answer.error().what;
    }
  }

  void run() {
    cache();
    state();
    model_buffers();
    compute();
  }

 private:
  void add(const std::string& table, double target, std::optional<double> predicted,
           const std::string& lacking = "") {
    Scored one{.row = row_.cell("model"),
               .table = prefix_ + table,
               .metric = "MiB",
               .group = row_.cell("source"),
               .quality = static_cast<int>(row_.number("quality").value_or(3)),
               .holds_target = true,
               .target = target};
    one.reason = !missing_.empty() ? missing_ : lacking;
    one.holds_inputs = one.reason.empty();
    if (one.holds_inputs) one.predicted = predicted;
    out_.push_back(std::move(one));
  }

  std::optional<double> of_kind(std::string_view kind) const {
    if (!answer_) return std::nullopt;
    return predicted_total(*answer_, kind);
  }

  void cache() {
    auto target = row_.real("kv_size_mib");
    if (!target) return;
    std::string lacking;
    if (!row_.has("n_ctx")) lacking = "no context length";
    if (row_.cell("kv_size_mib").find_first_of("+(") != std::string::npos) {
      lacking = "the figure leaves a part out";
    }
    if (lacking.empty()) lacking = windows_lack();
    auto value = of_kind("kv");
    // Old logs print a state space model's states as its cache.
    if (value && !row_.has("recurrent_state_mib") && *value == 0) value = of_kind("recurrent");
    add("kv cache", *target, value, lacking);
  }

  // What a second cache for windows depends on.
  std::string windows_lack() const {
    if (!model_ || request_.workload.mla_mode == "0") return "";
    bool slides = false, full = false;
    for (const auto& l : model_->layers) {
      slides = slides || l.mixer == model::Mixer::sliding;
      full = full || l.mixer == model::Mixer::full;
    }
    if (!slides || !full) return "";
    if (!row_.has("n_ubatch")) return "no micro-batch, on which sliding caches depend";
    const std::string& kv = row_.cell("kv_types_as_logged");
    const std::string cells = row_.cell("n_ctx") + " cells";
    const auto first = kv.find(cells);
    if (first != std::string::npos && kv.find(cells, first + 1) != std::string::npos) {
      return "sliding caches at full length (--swa-full), which no option describes";
    }
    return "";
  }

  void state() {
    const auto target = row_.real("recurrent_state_mib");
    if (!target) return;
    add("recurrent state", *target, of_kind("recurrent"));
  }

  void model_buffers() {
    std::optional<double> cards, host;
    bool mapped = true;
    for (const auto& [device, mib] : row_.by_device("model_buffers_mib")) {
      // Weights repacked for the processor are stored a second time.
      if (device == "AMX" || device == "CPU_AARCH64" || device == "CPU_REPACK") continue;
      if (device.ends_with("_Host") || device == "Host") mapped = false;
      auto& sum = card_number(device) || device.ends_with("_Split") ? cards : host;
      sum = sum.value_or(0) + mib;
    }
    if (!cards && !host) return;
    std::string lacking;
    if (!row_.has("quant_type")) lacking = "no weight format";
    double on_cards = 0, on_host = 0;
    if (answer_) {
      on_host = predicted_mib(*answer_, "model", std::nullopt);
      on_cards = predicted_total(*answer_, "model");
      for (const auto& b : answer_->buffers) {
        if (b.device == "CPU_Mapped") on_cards -= b.bytes.value.as_double() / per_mib;
      }
      on_cards -= on_host;
    }
    if (model_ && !model_->notes.empty() && model_->notes.back().starts_with("weights kept")) {
      lacking = "a weight format without a published mix";
    }
    if (cards) add("model buffers on cards", *cards, on_cards, lacking);
    if (!host) return;
    // A mapped file counts from its first to its last byte on the host.
    if (mapped && answer_) {
      for (const auto& b : answer_->buffers) {
        if (b.device == "CPU_Mapped") on_host = b.bytes.value.as_double() / per_mib;
      }
    }
    add("model buffers on the host", *host, on_host, lacking);
  }

  // All layers on cards, and their whole cache on the host.
  bool cache_in_host_memory() const {
    const auto devices = row_.by_device("kv_buffers_mib");
    const auto& layers = request_.workload.gpu_layers;
    const auto sum = row_.real("kv_size_mib");
    double on_cards = 0, on_host = 0;
    for (const auto& [device, mib] : devices) (card_number(device) ? on_cards : on_host) += mib;
    return request_.card && (!layers || *layers > 0) && on_host > 0 && on_cards == 0 && sum;
  }

  bool cache_on_both() const {
    bool on_cards = false, on_host = false;
    for (const auto& [device, mib] : row_.by_device("kv_buffers_mib")) {
      (card_number(device) ? on_cards : on_host) = true;
    }
    return on_cards && on_host;
  }

  std::string compute_lacks() const {
    if (!row_.has("n_ctx")) return "no context length";
    if (!row_.has("n_ubatch") && !build_of_row(row_)) return "neither build nor micro-batch";
    if (cache_on_both() && !request_.workload.gpu_layers) return "layers on both sides, no -ngl";
    if (cache_in_host_memory())
      return "cache kept off the cards (-nkvo), which no option describes";
    return "";
  }

  void compute() {
    const auto devices = row_.by_device("compute_buffers_mib");
    if (devices.empty()) return;
    const auto& layers = request_.workload.gpu_layers;
    const bool all = request_.card && model_ &&
                     (!layers || *layers > static_cast<std::int64_t>(model_->layers.size()));
    const bool one = request_.card && request_.card->count == 1;
    for (const auto& [device, mib] : devices) {
      if (mib == 0) continue;
      const auto card = card_number(device);
      if (device == "total") {
        // Cards and host together, with the scheduler's bookkeeping of that time.
        add(all ? "compute, one card, all layers" : "compute, other", mib,
            answer_ ? std::optional(predicted_mib(*answer_, "compute", 0) +
                                    (all ? 0 : predicted_mib(*answer_, "compute", std::nullopt)))
                    : std::nullopt,
            compute_lacks());
        continue;
      }
      const std::string table = !card        ? "compute, host"
                                : one && all ? "compute, one card, all layers"
                                             : "compute, other";
      add(table, mib,
          answer_ ? std::optional(predicted_mib(*answer_, "compute", card)) : std::nullopt,
          compute_lacks());
    }
  }

  const LlamaRow& row_;
  std::vector<Scored>& out_;
  std::string prefix_, missing_;
  memory::Request request_;
  std::optional<model::Model> model_;
  std::optional<memory::Answer> answer_;
};

// "3090 24GB * 2": the card's name and how many.
std::pair<std::string, std::uint32_t> named_cards(const std::string& text) {
  const std::size_t star = text.find(" * ");
  if (star == std::string::npos) return {text, 1};
  return {text.substr(0, star),
          static_cast<std::uint32_t>(std::strtoul(text.c_str() + star + 3, nullptr, 10))};
}

// The memory of a bracket's card: the catalogue's, or for an Apple chip the share of its memory
// that Metal lets one process use.
std::optional<memory::CardMemory> bracket_card(const facts::Catalogue& cards,
                                               const std::string& text) {
  const auto [name, count] = named_cards(text);
  memory::CardMemory out{.name = name, .count = count};
  const auto match = cards.find_card(name);
  if (!match.variants.empty()) {
    const auto usable = facts::usable_memory(*match.variants.front());
    out.usable = usable.total;
    out.basis = usable.basis;
    return out;
  }
  const std::size_t gb = text.rfind("GB");
  if (gb == std::string::npos || text.empty() || text[0] != 'M') return std::nullopt;
  std::size_t begin = gb;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  const double size = std::strtod(text.c_str() + begin, nullptr);
  // Metal's recommended working set: two thirds up to 36 GiB, three quarters above.
  out.usable =
      ByteFigure::scaled(gib(size * (size > 36 ? 0.75 : 2.0 / 3)), 0.98, 1.02, Origin::predicted);
  out.name = "Apple " + name;
  return out;
}

void bracket(const LlamaRow& row, const facts::Catalogue& cards, std::vector<Scored>& out) {
  const std::string& result = row.cell("total_vram_mib");
  Scored one{.row = row.cell("model") + " " + row.cell("quant_type") + " on " + row.cell("gpu"),
             .table = "llama.cpp fit or out of memory",
             .metric = "1 = out of memory",
             .group = row.cell("gpu"),
             .quality = 2,
             .holds_target = true,
             .target = result == "OOM" ? 1 : 0,
             .bracket = true};
  memory::Request request;
  request.engine = {.kind = memory::EngineKind::llama_cpp,
                    .version = memory::Version{.parts = {2800, 0, 0}, .text = "b2800"}};
  request.card = bracket_card(cards, row.cell("gpu"));
  request.workload.ctx_size = 8192;
  request.workload.concurrency = 1;
  const auto m = model_of_row(row);
  if (!request.card) {
    one.reason = "no such card in the catalogue";
  } else if (!m) {
    one.reason = m.error();
  } else {
    request.placement.pp = request.card->count;
    if (const auto answer = memory::size(*m, request)) {
      one.holds_inputs = true;
      one.predicted = answer->verdict == memory::Verdict::does_not_fit ? 1
                      : answer->verdict == memory::Verdict::tight      ? 0.5
                                                                       : 0;
      one.reason = answer->reason;
    } else {
      one.reason = answer.error().what;
    }
  }
  out.push_back(std::move(one));
}

}  // namespace

std::vector<Scored> score_llamacpp(const CsvTable& rows) {
  std::vector<Scored> out;
  const auto cards = facts::Catalogue::embedded();
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const LlamaRow row(rows, i);
    if (row.is_bracket()) {
      if (cards) bracket(row, *cards, out);
    } else {
      RowScorer(row, out).run();
    }
  }
  return out;
}

}  // namespace steelyard::accuracy
