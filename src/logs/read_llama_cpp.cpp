// llama.cpp from its first wording on, and Ollama around it: buffers by device.
#include <algorithm>
#include <array>

#include "logs/starts.h"

namespace steelyard::logs {
namespace {

struct LlamaRow {
  std::string_view words;
  Term term;
};
constexpr auto buffers = std::to_array<LlamaRow>({
    {" model buffer size =", Term::model_buffer},
    {" KV buffer size =", Term::kv_buffer},
    {" RS buffer size =", Term::recurrent_buffer},
    {" compute buffer size =", Term::compute_buffer},
    {" output buffer size =", Term::output_buffer},
    {" buffer size =", Term::model_buffer},  // llm_load_tensors of early 2024
});
constexpr auto context_terms = std::to_array<Term>(
    {Term::kv_buffer, Term::recurrent_buffer, Term::compute_buffer, Term::output_buffer});

bool of_context(Term term) {
  return std::ranges::find(context_terms, term) != context_terms.end();
}

Bytes cache_of(const std::vector<Amount>& amounts) {
  Bytes all;
  for (const Amount& one : amounts) {
    if (one.term == Term::kv_buffer || one.term == Term::recurrent_buffer) all += one.bytes;
  }
  return all;
}

// The device's name stands before the words: "load_tensors:  CUDA0 model buffer size = ...".
std::string device_before(std::string_view text, std::size_t at) {
  const std::string_view head = trim(text.substr(0, at));
  const std::size_t space = head.find_last_of(" :");
  const std::string_view name = space == std::string_view::npos ? head : head.substr(space + 1);
  // "RPC0[192.168.1.60:50052]" has a colon of its own.
  if (!name.empty() && name.back() == ']') {
    const std::size_t blank = head.find_last_of(' ');
    return one_line(head.substr(blank == std::string_view::npos ? 0 : blank + 1).substr(0, 64));
  }
  return one_line(name.substr(0, 64));
}

// "n_ctx         = 4096" behind the name of one of its functions, never a slot's line.
std::string setting_of(std::string_view text, std::string_view key) {
  const std::size_t name = text.find("llama_");
  if (name == std::string_view::npos) return "";
  const std::size_t colon = text.find(": ", name);
  if (colon == std::string_view::npos) return "";
  std::string_view rest = trim(text.substr(colon + 2));
  if (!rest.starts_with(key)) return "";
  rest = trim(rest.substr(key.size()));
  if (rest.empty() || rest.front() != '=') return "";
  rest = trim(rest.substr(1));
  return one_line(rest.substr(0, std::min<std::size_t>(rest.find(' '), 32)));
}

std::string build_of(std::string_view text) {
  for (const std::string_view before : {"build: ", "build = ", "build_info: b", "version: "}) {
    const std::size_t at = text.find(before);
    if (at == std::string_view::npos) continue;
    const auto number = number_at(text, at + before.size());
    if (!number || number->value < 1 || number->value > 1e6 || number->rounding < 0.5) continue;
    const std::string_view rest = text.substr(number->end);
    if (!rest.starts_with(" (") && !rest.starts_with("-")) continue;
    return "b" + std::string(text.substr(at + before.size(), number->end - at - before.size()));
  }
  return "";
}

constexpr auto llama_failures = std::to_array<std::string_view>(
    {"cudaMalloc failed: out of memory", "failed to allocate buffer", "unable to allocate",
     "failed to load model", "failed to create context", "failed to initialize the context",
     "Insufficient Memory", "CUDA error: out of memory", "llama runner process has terminated",
     "model requires more system memory", "failed to allocate compute"});

// K (f16): 4.50 MiB, V (q8_0): 4.50 MiB
std::string type_behind(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + before.size());
  return one_line(rest.substr(0, std::min<std::size_t>(rest.find(')'), 16)));
}

std::string quoted_value(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  return at == std::string_view::npos ? "" : value_of(text.substr(at), key);
}

}  // namespace

void LlamaReader::begin_context(const Line& line, Starts& starts) {
  std::vector<Amount>& amounts = starts.now().amounts;
  const bool has = std::ranges::any_of(amounts, [](const Amount& a) { return of_context(a.term); });
  if (!has) return;
  if (cache_of(amounts) > cache_of(held_)) {
    held_ = amounts;
    held_counts_ = starts.now().counts;
  }
  starts.note(line, "another context of the same model: the one with the larger cache is compared");
  std::erase_if(amounts, [](const Amount& a) { return of_context(a.term); });
  std::erase_if(starts.now().counts, [](const Count& c) { return c.what == Counted::cells; });
}

void LlamaReader::settle(Starts& starts) {
  if (cache_of(held_) > cache_of(starts.now().amounts)) {
    starts.now().amounts = held_;
    starts.now().counts = held_counts_;
  }
  held_.clear();
  held_counts_.clear();
}

Status LlamaReader::read_settings(const Line& line, Starts& starts) {
  struct Key {
    std::string_view key;
    Setting setting;
  };
  constexpr auto keys = std::to_array<Key>({{"n_ctx", Setting::total_context},
                                            {"n_seq_max", Setting::slots},
                                            {"n_ctx_seq", Setting::slot_context},
                                            {"n_ctx_per_seq", Setting::slot_context},
                                            {"kv_unified", Setting::unified},
                                            {"n_ubatch", Setting::micro_batch},
                                            {"flash_attn", Setting::flash_attention}});
  for (const Key& one : keys) {
    const std::string value = setting_of(line.text, one.key);
    if (value.empty()) continue;
    // The first of each context's lines.
    if (one.setting == Setting::total_context) begin_context(line, starts);
    if (value != "auto" && value != "-1") starts.set(line, one.setting, value);
  }
  if (line.has("Flash Attention was auto, set to ")) {
    starts.set(line, Setting::flash_attention, line.has("set to enabled") ? "1" : "0");
  }
  if (line.has("offloaded ") && line.has(" layers to GPU")) {
    const std::size_t at = line.text.find("offloaded ") + 10;
    const std::string_view rest = line.text.substr(at);
    starts.set(line, Setting::layers_on_cards, one_line(rest.substr(0, rest.find(' '))));
  }
  if (line.has("loaded meta data with ")) {
    const std::size_t at = line.text.find(" from ");
    const std::string_view rest = line.text.substr(at == std::string_view::npos ? 0 : at + 6);
    const std::string_view name = rest.substr(0, rest.find(" (version"));
    starts.set(line, Setting::model, one_line(name.substr(0, 256)));
  }
  // "print_info: file type   = Q4_K - Medium", "llm_load_print_meta: model ftype      = Q4_0"
  if (line.has("file type   = ") || line.has("model ftype ")) {
    const std::string_view type = trim(line.text.substr(line.text.rfind('=') + 1));
    // "(guessed)" and the bits per weight behind a type are no part of it.
    starts.set(line, Setting::quantization,
               one_line(trim(type.substr(0, std::min(type.find(" ("), type.size())))));
  }
  if (line.has("buffer type overrid")) starts.set(line, Setting::host_offload, "tensors");
  if (line.has("K (") && line.has("MiB")) {
    starts.set(line, Setting::kv_keys, type_behind(line.text, "K ("));
    starts.set(line, Setting::kv_values, type_behind(line.text, "V ("));
    const std::size_t at = line.text.find("MiB (");
    if (at != std::string_view::npos && line.has(" cells")) {
      const Count* known = starts.now().count(Counted::cells);
      const auto cells = number_at(line.text, at + 5);
      if (cells && (known == nullptr || known->value < cells->value)) {
        return starts.count(line, Counted::cells, "", "MiB (");
      }
    }
  }
  return {};
}

Status LlamaReader::read_buffers(const Line& line, Starts& starts) {
  for (const LlamaRow& row : buffers) {
    const std::size_t at = line.text.find(row.words);
    if (at == std::string_view::npos) continue;
    const bool early = row.words == " buffer size =";
    if (early && !line.has("llm_load_tensors:")) return {};
    const bool replaces = row.term == Term::compute_buffer || row.term == Term::output_buffer;
    return starts.add(line, row.term, device_before(line.text, at), row.words, replaces);
  }
  return {};
}

// time=... level=INFO source=backend.go:321 msg="kv cache" device=CUDA0 size="936.0 MiB"
Status LlamaReader::read_ollama(const Line& line, Starts& starts) {
  constexpr auto rows = std::to_array<LlamaRow>({{"msg=\"model weights\"", Term::model_buffer},
                                                 {"msg=\"kv cache\"", Term::kv_buffer},
                                                 {"msg=\"compute graph\"", Term::compute_buffer}});
  for (const LlamaRow& row : rows) {
    if (!line.has(row.words)) continue;
    return starts.add(line, row.term, quoted_value(line.text, "device"), "size=\"");
  }
  if (line.has("Listening on ") && line.has("(version ")) {
    starts.version(line, type_behind(line.text, "(version "));
  }
  if (line.has(" file_type=")) {
    starts.set(line, Setting::quantization, value_of(line.text, "file_type"));
  }
  if (line.has("msg=load request=")) {
    constexpr auto keys = std::to_array<std::pair<std::string_view, Setting>>(
        {{"KvSize", Setting::total_context},
         {"Parallel", Setting::slots},
         {"BatchSize", Setting::micro_batch},
         {"FlashAttention", Setting::flash_attention}});
    for (const auto& [key, setting] : keys) starts.set(line, setting, value_of(line.text, key));
    std::string kv = value_of(line.text, "KvCacheType");
    if (kv.find(':') == std::string::npos) {
      starts.set(line, Setting::kv_keys, kv);
      starts.set(line, Setting::kv_values, kv);
    }
  }
  return {};
}

Status LlamaReader::read(const Line& line, Starts& starts) {
  const bool ollama = starts.now().program == Program::ollama;
  const bool loads = line.has("loaded meta data with ");
  const bool starts_runner = line.has("msg=\"starting runner\"") ||
                             line.has("msg=\"starting llama server\"") ||
                             line.has("msg=\"starting ollama engine\"");
  if (line.has("loading draft model")) {
    drafting_ = true;
    starts.note(line, "the draft model's buffers are not compared");
  }
  const bool fresh = starts.now().amount(Term::model_buffer) != nullptr || starts.is_ready();
  if ((loads && !drafting_ && fresh) || (starts_runner && (fresh || !starts.any()))) {
    settle(starts);
    starts.begin(line);
    drafting_ = false;
  }
  if (const std::string build = ollama ? "" : build_of(line.text); !build.empty()) {
    if (starts.is_ready() || fresh) {
      settle(starts);
      starts.begin(line);
    }
    starts.version(line, build);
    drafting_ = false;
  }
  if (starts.is_ready() || drafting_) return {};
  if (line.has("using device ") && line.has(" MiB free")) {
    const std::size_t open = line.text.find('(');
    const std::string_view rest = line.text.substr(std::min(open, line.text.size() - 1) + 1);
    if (!starts.now().option(Setting::device)) {
      starts.set(line, Setting::device, one_line(rest.substr(0, rest.find(')')).substr(0, 80)));
    }
    const std::size_t at = line.text.find("using device ") + 13;
    const std::string_view name = line.text.substr(at, line.text.find(' ', at) - at);
    if (auto read = starts.add(line, Term::card_free, one_line(name), " - "); !read) return read;
  }
  if (auto read = read_settings(line, starts); !read) return read;
  if (auto read = read_buffers(line, starts); !read) return read;
  if (ollama) {
    if (auto read = read_ollama(line, starts); !read) return read;
  }
  if (std::ranges::any_of(llama_failures, [&](std::string_view part) { return line.has(part); })) {
    starts.failure(line);
  }
  const bool up = line.has("server is listening") || line.has("all slots are idle") ||
                  line.has("llama runner started in");
  if (up && complete(starts.now())) {
    settle(starts);
    starts.ready();
  }
  return {};
}

}  // namespace steelyard::logs
