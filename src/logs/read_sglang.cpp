// SGLang: one line of arguments, then what each rank loads, allocates and captures.
#include <algorithm>
#include <array>

#include "logs/starts.h"

namespace steelyard::logs {
namespace {

struct SglangKey {
  std::string_view key;
  Setting setting;
};
constexpr auto argument_keys = std::to_array<SglangKey>({
    {"model_path", Setting::model},
    {"model", Setting::model},
    {"dtype", Setting::dtype},
    {"quantization", Setting::quantization},
    {"context_length", Setting::context},
    {"kv_cache_dtype", Setting::kv_format},
    {"mem_fraction_static", Setting::utilization},
    {"chunked_prefill_size", Setting::batched_tokens},
    {"max_running_requests", Setting::sequences},
    {"tp_size", Setting::tp},
    {"tp", Setting::tp},
    {"tensor_parallel_size", Setting::tp},
    {"pp_size", Setting::pp},
    {"dp_size", Setting::dp},
    {"ep_size", Setting::ep},
    {"enable_dp_attention", Setting::attention_dp},
    {"disable_cuda_graph", Setting::eager},
    {"max_total_tokens", Setting::fixed_pool},
    {"speculative_algorithm", Setting::speculative},
    {"cpu_offload_gb", Setting::host_offload},
});

void read_arguments(const Line& line, Starts& starts) {
  if (value_of(line.text, "speculative_algorithm") == "NEXTN") {
    starts.set(line, Setting::draft_tokens, value_of(line.text, "speculative_num_steps"));
  }
  for (const SglangKey& one : argument_keys) {
    const std::string value = value_of(line.text, one.key);
    if (value.empty() || value == "0" || value == "auto" || value == "-1") continue;
    if (value == "False" && one.setting != Setting::eager) continue;
    starts.set(line, one.setting, value);
  }
}

constexpr auto sglang_failures = std::to_array<std::string_view>(
    {"CUDA out of memory", "HIP out of memory", "OutOfMemoryError", "Not enough memory. Please try",
     "Not enough memory; increase --mem-fraction-static", "Capture cuda graph failed",
     "Capture CUDA graph failed"});

// "KV Cache is allocated. dtype: ..., #tokens: 454112, K size: 3.46 GB, V size: 3.46 GB", with one
// "KV size" where the latent cache has no halves. Models with two kinds of layers print two lines.
Status read_pool(const Line& line, const std::string& where, Starts& starts) {
  if (!line.has("KV Cache is allocated")) return {};
  for (const std::string_view before : {" K size: ", " V size: ", " KV size: "}) {
    if (!line.has(before)) continue;
    if (auto read = starts.add(line, Term::kv_pool, where, before, false); !read) return read;
  }
  const std::string dtype = value_of(line.text, "dtype");
  if (dtype.starts_with("torch.")) starts.set(line, Setting::kv_format, dtype.substr(6));
  return starts.count(line, Counted::pool_tokens, where, "#tokens: ");
}

Status read_states(const Line& line, const std::string& where, Starts& starts) {
  if (!line.has("Mamba Cache is allocated")) return {};
  for (const std::string_view before :
       {" conv_state size: ", " ssm_state size: ", " intermediate_ssm_state_cache size: ",
        " intermediate_conv_window_cache size: "}) {
    if (!line.has(before)) continue;
    if (auto read = starts.add(line, Term::states, where, before, false); !read) return read;
  }
  return starts.count(line, Counted::state_slots, where, "max_mamba_cache_size: ");
}

// A rank that has its pool and allocates another has a draft model: not the model's.
bool has_pool(Starts& starts, const std::string& where) {
  return std::ranges::any_of(starts.now().counts, [&](const Count& known) {
    return known.what == Counted::pools && known.where == where;
  });
}

bool of_a_draft(const Line& line, const std::string& where, Starts& starts) {
  const bool second = has_pool(starts, where);
  if (second && line.has("KV Cache is allocated")) {
    starts.note(line, "a second pool, of the draft model: not compared");
  }
  return second;
}

Status read_load(const Line& line, const std::string& where, Starts& starts) {
  if (line.has("Load weight begin")) {
    return starts.add(line, Term::card_free, where, "avail mem=");
  }
  if (!line.has("Load weight end")) return {};
  if (line.has("mem usage=")) return starts.add(line, Term::weights, where, "mem usage=");
  // Before it said so: what was free before, less what is free now.
  const auto now = number_after(line.text, "avail mem=");
  const auto& amounts = starts.now().amounts;
  const auto before = std::ranges::find_if(amounts, [&](const Amount& known) {
    return known.term == Term::card_free && known.where == where;
  });
  const auto unit = now ? unit_at(line.text, now->end) : std::nullopt;
  if (!unit || before == amounts.end() || now->value > 1e6) return {};
  const Bytes left = bytes_from(now->value * *unit);
  return starts.put(line,
                    {.term = Term::weights,
                     .where = where,
                     .bytes = before->bytes - left,
                     .rounding = before->rounding + before->rounding,
                     .words = quoted(line.text, line.text.find("Load weight end"), 4096)},
                    true);
}

void read_final(const Line& line, Starts& starts) {
  if (!line.has("max_total_num_tokens=")) return;
  constexpr auto rows =
      std::to_array<SglangKey>({{"context_len", Setting::context},
                                {"max_running_requests", Setting::sequences},
                                {"chunked_prefill_size", Setting::batched_tokens}});
  for (const SglangKey& one : rows) {
    const std::string value = value_of(line.text, one.key);
    if (value != "-1") starts.set(line, one.setting, value);
  }
}

}  // namespace

Status read_sglang(const Line& line, Starts& starts) {
  const std::string where = rank_of(line.text);
  if (line.has("server_args=") && (line.has("ServerArgs(") || line.has("model_path"))) {
    if (!starts.any() || starts.is_ready() || !starts.now().amounts.empty()) starts.begin(line);
    read_arguments(line, starts);
  }
  if (line.has("sglang.launch_server") || line.has("sglang serve ")) read_arguments(line, starts);
  if (starts.is_ready()) return {};
  if (!of_a_draft(line, where, starts)) {
    if (auto read = read_load(line, where, starts); !read) return read;
    if (auto read = read_pool(line, where, starts); !read) return read;
    if (auto read = read_states(line, where, starts); !read) return read;
  }
  if (line.has("Memory pool end") && !has_pool(starts, where)) {
    if (auto read = starts.add(line, Term::card_left, where, "avail mem="); !read) return read;
    // The rank's own pool is done: what comes now is another model's.
    const Line mark{.text = "pool 1", .number = line.number};
    if (auto read = starts.count(mark, Counted::pools, where, "pool "); !read) return read;
  }
  const bool captured =
      line.has("apture") && (line.has("cuda graph end") || line.has("CUDA graph end"));
  if (captured) {
    if (auto read = starts.add(line, Term::graphs, where, "mem usage=", false); !read) return read;
  }
  if (line.has("max_total_num_tokens=")) {
    if (auto read = starts.count(line, Counted::pool_tokens, "", "max_total_num_tokens="); !read) {
      return read;
    }
  }
  read_final(line, starts);
  if (std::ranges::any_of(sglang_failures, [&](std::string_view part) { return line.has(part); })) {
    starts.failure(line);
  }
  if (line.has("The server is fired up") && complete(starts.now())) starts.ready();
  return {};
}

}  // namespace steelyard::logs
