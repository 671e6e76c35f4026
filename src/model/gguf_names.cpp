// Names of tensors in GGUF files.
#include <algorithm>

#include "model/tensor_names.h"

namespace steelyard::model {
namespace {

struct NamedStem {
  std::string_view stem;
  Role role;
};

// Inside a block, without ".weight" or ".bias".
constexpr NamedStem in_block[] = {
    {"attn_q", Role::attention_q},
    {"attn_k", Role::attention_k},
    {"attn_v", Role::attention_v},
    {"attn_qkv", Role::attention_qkv},
    {"attn_output", Role::attention_output},
    {"attn_o", Role::attention_output},  // T5
    {"attn_q_a", Role::mla_q_a},
    {"attn_q_b", Role::mla_q_b},
    {"attn_kv_a_mqa", Role::mla_kv_a},
    {"attn_kv", Role::mla_kv_a},
    {"attn_kv_b", Role::mla_kv_b},
    {"attn_k_b", Role::mla_kv_b},
    {"attn_v_b", Role::mla_kv_b},
    {"attn_output_a", Role::attention_output},
    {"attn_output_b", Role::attention_output},
    {"ffn_gate", Role::ffn_gate},
    {"ffn_up", Role::ffn_up},
    {"ffn_down", Role::ffn_down},
    {"ffn_gate_inp", Role::router},
    {"ffn_gate_inp_shexp", Role::router},
    {"exp_probs_b", Role::router},
    {"ffn_gate_tid2eid", Role::router},
    {"ffn_gate_exps", Role::expert_gate},
    {"ffn_up_exps", Role::expert_up},
    {"ffn_gate_up_exps", Role::expert_up},
    {"ffn_down_exps", Role::expert_down},
    {"ffn_gate_chexps", Role::expert_gate},
    {"ffn_up_chexps", Role::expert_up},
    {"ffn_down_chexps", Role::expert_down},
    {"ffn_gate_shexp", Role::shared_gate},
    {"ffn_up_shexp", Role::shared_up},
    {"ffn_down_shexp", Role::shared_down},
    {"cross_attn_q", Role::cross_attention},
    {"cross_attn_k", Role::cross_attention},
    {"cross_attn_v", Role::cross_attention},
    {"cross_attn_o", Role::cross_attention},
    {"ssm_in", Role::recurrent_in},
    {"ssm_x", Role::recurrent_in},
    {"ssm_ba", Role::recurrent_in},
    {"ssm_out", Role::recurrent_out},
    {"shortconv.in_proj", Role::recurrent_in},
    {"shortconv.out_proj", Role::recurrent_out},
    {"time_mix_key", Role::recurrent_in},
    {"time_mix_value", Role::recurrent_in},
    {"time_mix_receptance", Role::recurrent_in},
    {"time_mix_gate", Role::recurrent_in},
    {"time_mix_output", Role::recurrent_out},
    {"channel_mix_key", Role::ffn_up},
    {"channel_mix_receptance", Role::ffn_gate},
    {"channel_mix_value", Role::ffn_down},
    {"nextn.embed_tokens", Role::token_embedding},
    {"nextn.shared_head_head", Role::output_head},
};

constexpr NamedStem outside[] = {
    {"token_embd", Role::token_embedding},
    {"per_layer_token_embd", Role::token_embedding},
    {"position_embd", Role::position_embedding},
    {"token_types", Role::position_embedding},
    {"output", Role::output_head},
};

// Longer families of names, tried after the exact ones.
constexpr NamedStem beginnings[] = {
    {"indexer", Role::indexer},
    {"ssm_", Role::recurrent_other},
    {"shortconv", Role::recurrent_other},
    {"time_mix", Role::recurrent_other},
    {"channel_mix", Role::recurrent_other},
    {"attn_", Role::attention_other},
};

bool is_norm_stem(std::string_view stem) {
  return stem.ends_with("_norm") || stem.find("norm_") != std::string_view::npos ||
         stem.ends_with("norm") || stem.ends_with("_norm_1") || stem.ends_with("_norm_2") ||
         stem == "time_mix_ln";
}

std::string_view without_ending(std::string_view name) {
  for (const std::string_view ending : {".weight", ".bias", ".scale"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

// Old Mixtral files: "ffn_gate.3" is the fourth expert's.
bool one_expert(std::string_view name, std::string_view stem, NameMeaning& meaning) {
  for (const auto& [begin, role] :
       {NamedStem{"ffn_gate.", Role::expert_gate}, NamedStem{"ffn_up.", Role::expert_up},
        NamedStem{"ffn_down.", Role::expert_down}}) {
    if (!stem.starts_with(begin)) continue;
    std::size_t digits = 0;
    const std::int32_t expert = number_in_name(stem, begin.size(), digits);
    if (expert < 0 || begin.size() + digits != stem.size()) return false;
    meaning.role = role;
    meaning.expert = expert;
    meaning.expert_at = static_cast<std::size_t>(stem.data() - name.data()) + begin.size();
    meaning.expert_digits = digits;
    return true;
  }
  return false;
}

Role block_role(std::string_view stem) {
  const auto exact = std::ranges::find(in_block, stem, &NamedStem::stem);
  if (exact != std::end(in_block)) return exact->role;
  if (is_norm_stem(stem)) return Role::norm;
  for (const NamedStem& named : beginnings) {
    if (stem.starts_with(named.stem)) return named.role;
  }
  return Role::other;
}

}  // namespace

NameMeaning gguf_name(std::string_view name) {
  NameMeaning meaning;
  std::string_view rest = name;
  // A vision or audio projector file: "v.blk.0...", "a.blk.0...", "mm.0.weight".
  if (rest.starts_with("v.")) return {.role = Role::vision};
  if (rest.starts_with("a.")) return {.role = Role::audio};
  if (rest.starts_with("mm.") || rest.starts_with("resampler.")) return {.role = Role::projector};
  for (const std::string_view part : {"dec.", "enc."}) {
    if (rest.starts_with(part)) rest.remove_prefix(part.size());
  }
  if (!rest.starts_with("blk.")) {
    const std::string_view stem = without_ending(rest);
    const auto exact = std::ranges::find(outside, stem, &NamedStem::stem);
    if (exact != std::end(outside)) {
      meaning.role = exact->role;
    } else if (is_norm_stem(stem)) {
      meaning.role = Role::norm;
    }
    return meaning;
  }
  std::size_t digits = 0;
  meaning.layer = number_in_name(rest, 4, digits);
  const std::size_t dot = 4 + digits;
  if (meaning.layer < 0 || dot >= rest.size() || rest[dot] != '.') return {};
  const std::string_view stem = without_ending(rest.substr(dot + 1));
  // T5's encoder blocks bear the numbers of decoder blocks: they are not decoder layers.
  if (name.starts_with("enc.")) meaning.layer = -1;
  if (!one_expert(name, stem, meaning)) meaning.role = block_role(stem);
  return meaning;
}

}  // namespace steelyard::model
