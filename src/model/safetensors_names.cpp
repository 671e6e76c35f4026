// Names of tensors in the safetensors files of published checkpoints.
#include <algorithm>
#include <array>

#include "model/tensor_names.h"

namespace steelyard::model {
namespace {

struct Named {
  std::string_view word;
  Role role;
};

// The module that holds the tensor, the last but one part of the name.
constexpr Named modules[] = {
    {"q_proj", Role::attention_q},
    {"k_proj", Role::attention_k},
    {"v_proj", Role::attention_v},
    {"o_proj", Role::attention_output},
    {"out_proj", Role::attention_output},
    {"wq", Role::attention_q},
    {"wk", Role::attention_k},
    {"wv", Role::attention_v},
    {"wo", Role::attention_output},
    {"q", Role::attention_q},
    {"k", Role::attention_k},
    {"v", Role::attention_v},
    {"o", Role::attention_output},
    {"query", Role::attention_q},
    {"key", Role::attention_k},
    {"value", Role::attention_v},
    {"qkv_proj", Role::attention_qkv},
    {"query_key_value", Role::attention_qkv},
    {"Wqkv", Role::attention_qkv},
    {"c_attn", Role::attention_qkv},
    {"W_pack", Role::attention_qkv},
    {"qkv", Role::attention_qkv},
    {"wqkv", Role::attention_qkv},
    {"q_a_proj", Role::mla_q_a},
    {"q_b_proj", Role::mla_q_b},
    {"kv_a_proj_with_mqa", Role::mla_kv_a},
    {"kv_b_proj", Role::mla_kv_b},
    {"gate_proj", Role::ffn_gate},
    {"up_proj", Role::ffn_up},
    {"down_proj", Role::ffn_down},
    {"gate_up_proj", Role::ffn_up},
    {"w1", Role::ffn_gate},
    {"w3", Role::ffn_up},
    {"w2", Role::ffn_down},
    {"linear_fc1", Role::ffn_up},
    {"linear_fc2", Role::ffn_down},
    {"fc1", Role::ffn_up},
    {"fc2", Role::ffn_down},
    {"c_fc", Role::ffn_up},
    {"dense_h_to_4h", Role::ffn_up},
    {"dense_4h_to_h", Role::ffn_down},
    {"intermediate", Role::ffn_up},
    {"input_linear", Role::ffn_up},
    {"output_linear", Role::ffn_down},
    {"gate", Role::router},
    {"router", Role::router},
    {"shared_expert_gate", Role::router},
    {"e_score_correction_bias", Role::router},
    {"embed_tokens", Role::token_embedding},
    {"tok_embeddings", Role::token_embedding},
    {"word_embeddings", Role::token_embedding},
    {"embed_in", Role::token_embedding},
    {"wte", Role::token_embedding},
    {"embeddings", Role::token_embedding},
    {"embedding", Role::token_embedding},
    {"embed_tokens_per_layer", Role::token_embedding},
    {"shared", Role::token_embedding},
    {"wpe", Role::position_embedding},
    {"embed_positions", Role::position_embedding},
    {"position_embeddings", Role::position_embedding},
    {"token_type_embeddings", Role::position_embedding},
    {"lm_head", Role::output_head},
    {"embed_out", Role::output_head},
    {"output", Role::output_head},
    {"head", Role::output_head},
};

constexpr std::string_view vision_parts[] = {
    "visual.", "vision_tower.",  "vision_model.",  "vision_encoder.",     "vpm.",
    "vit.",    "image_encoder.", "img_processor.", "vision_embed_tokens."};
constexpr std::string_view audio_parts[] = {"audio_tower.", "audio_model.", "audio_encoder.",
                                            "apm.",         "embed_audio.", "speech_encoder."};
constexpr std::string_view projector_parts[] = {
    "multi_modal_projector.", "mm_projector.", "embed_vision.", "vision_adapter.",
    "patch_merger.",          "resampler.",    "mlp1."};
constexpr std::string_view block_parts[] = {"layers.", "h.", "blocks.", "layer.", "block."};

bool has(std::string_view name, std::string_view part) {
  const auto at = name.find(part);
  return at != std::string_view::npos && (at == 0 || name[at - 1] == '.');
}
template <std::size_t N>
bool has_any(std::string_view name, const std::string_view (&parts)[N]) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return has(name, part); });
}

// The block's number, and the rest of the name behind it.
std::int32_t block_number(std::string_view name, std::string_view& rest) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (at > 0 && name[at - 1] != '.') continue;
    for (const std::string_view part : block_parts) {
      if (!name.substr(at).starts_with(part)) continue;
      std::size_t digits = 0;
      const std::int32_t number = number_in_name(name, at + part.size(), digits);
      const std::size_t end = at + part.size() + digits;
      if (number < 0 || end >= name.size() || name[end] != '.') continue;
      rest = name.substr(end + 1);
      return number;
    }
  }
  return -1;
}

bool is_parameter_word(std::string_view word) {
  return word == "weight" || word == "bias" || word == "weight_packed" || word == "qweight";
}

// "q_proj" of "self_attn.q_proj.weight"; the last part when it is no parameter word.
std::string_view module_of(std::string_view rest) {
  const auto last = rest.rfind('.');
  if (last == std::string_view::npos) return rest;
  if (!is_parameter_word(rest.substr(last + 1))) return rest.substr(last + 1);
  const auto before = rest.substr(0, last).rfind('.');
  return before == std::string_view::npos ? rest.substr(0, last)
                                          : rest.substr(before + 1, last - before - 1);
}

Role in_expert(Role role) {
  switch (role) {
    case Role::ffn_gate:
      return Role::expert_gate;
    case Role::ffn_up:
      return Role::expert_up;
    case Role::ffn_down:
      return Role::expert_down;
    default:
      return role;
  }
}
Role in_shared(Role role) {
  switch (role) {
    case Role::ffn_gate:
      return Role::shared_gate;
    case Role::ffn_up:
      return Role::shared_up;
    case Role::ffn_down:
      return Role::shared_down;
    default:
      return role;
  }
}

bool is_recurrent_part(std::string_view rest) {
  return rest.starts_with("linear_attn.") || rest.starts_with("mamba.") ||
         rest.starts_with("conv.") || rest.starts_with("mixer.") || rest.starts_with("ssm.");
}

Role recurrent_role(std::string_view module) {
  if (module == "out_proj" || module == "o_proj") return Role::recurrent_out;
  if (module.starts_with("in_proj") || module == "x_proj" || module == "q_proj" ||
      module == "k_proj" || module == "v_proj") {
    return Role::recurrent_in;
  }
  return Role::recurrent_other;
}

Role plain_role(std::string_view module) {
  const auto found = std::ranges::find(modules, module, &Named::word);
  return found == std::end(modules) ? Role::other : found->role;
}

// GPT-2's c_proj and Falcon's dense close both attention and MLP: the part before tells.
Role shared_word(std::string_view rest, std::string_view module) {
  if (module != "c_proj" && module != "dense" && module != "proj") return Role::other;
  return has(rest, "mlp.") || has(rest, "output.") ? Role::ffn_down : Role::attention_output;
}

bool is_norm(std::string_view module) {
  return module.ends_with("norm") || module.ends_with("layernorm") || module.ends_with("_norm_1") ||
         module.ends_with("_norm_2") || module == "ln_1" || module == "ln_2" || module == "ln_f" ||
         module == "norm1" || module == "norm2" || module == "LayerNorm" ||
         module.starts_with("norm_") || module.ends_with("layernorm_1") ||
         module.ends_with("layernorm_2");
}

bool expert_number(std::string_view name, NameMeaning& meaning) {
  constexpr std::string_view part = "experts.";
  const auto at = name.find(part);
  if (at == std::string_view::npos || (at > 0 && name[at - 1] != '.')) return false;
  meaning.expert = number_in_name(name, at + part.size(), meaning.expert_digits);
  meaning.expert_at = at + part.size();
  return true;
}

Role block_role(std::string_view rest, NameMeaning& meaning, bool experts) {
  const std::string_view module = module_of(rest);
  if (has(rest, "indexer.")) return Role::indexer;
  if (is_norm(module)) return Role::norm;
  if (has(rest, "shared_expert.") || has(rest, "shared_experts.")) {
    return in_shared(plain_role(module));
  }
  if (experts) return in_expert(plain_role(module));
  if (rest.starts_with("mixer.") &&
      (module == "up_proj" || module == "down_proj" || module == "q_proj" || module == "k_proj" ||
       module == "v_proj" || module == "o_proj" || module == "gate")) {
    return plain_role(module);  // Nemotron-H calls every kind of layer "mixer"
  }
  if (is_recurrent_part(rest)) return recurrent_role(module);
  if (rest.starts_with("cross_attn.") || rest.starts_with("encoder_attn.")) {
    return Role::cross_attention;
  }
  const Role role = plain_role(module);
  if (role == Role::token_embedding || role == Role::output_head) {
    return meaning.mtp || module == "embed_tokens" || module == "head" ? role : Role::other;
  }
  const Role word = role == Role::other ? shared_word(rest, module) : role;
  if (word == Role::other &&
      (has(rest, "self_attn.") || has(rest, "attn.") || has(rest, "attention."))) {
    return Role::attention_other;
  }
  return word;
}

}  // namespace

NameMeaning safetensors_name(std::string_view name) {
  NameMeaning meaning;
  if (has_any(name, projector_parts)) return {.role = Role::projector};
  if (has_any(name, vision_parts)) return {.role = Role::vision};
  if (has_any(name, audio_parts)) return {.role = Role::audio};
  meaning.mtp = has(name, "mtp.") || has(name, "mtp_layers.") || has(name, "mtp_block.");
  std::string_view rest = name;
  meaning.layer = block_number(name, rest);
  if (meaning.layer < 0 && !meaning.mtp) {
    const std::string_view module = module_of(name);
    meaning.role = is_norm(module) ? Role::norm : plain_role(module);
    // Outside the blocks only embeddings, heads and norms have a known use.
    const bool known = meaning.role == Role::norm || meaning.role == Role::token_embedding ||
                       meaning.role == Role::position_embedding ||
                       meaning.role == Role::output_head;
    if (!known) meaning.role = Role::other;
    return meaning;
  }
  if (meaning.layer < 0) meaning.layer = 0;
  // An encoder's blocks bear the numbers of decoder layers, which they are not.
  const bool encoder = name.starts_with("encoder.") || has(name, "model.encoder.");
  const bool experts = expert_number(name, meaning);
  meaning.role = block_role(rest, meaning, experts);
  if (encoder && name.find("decoder") == std::string_view::npos &&
      !name.starts_with("encoder.layer.")) {
    meaning.layer = -1;
  }
  return meaning;
}

}  // namespace steelyard::model
