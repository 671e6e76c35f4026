#include "model/families/all.h"

namespace steelyard::model {

std::span<const Family> families() {
  static constexpr Family list[] = {
      {"llama", build_llama},
      {"mistral", build_llama},
      {"ministral3", build_llama},
      {"smollm3", build_llama},
      {"granite", build_granite},
      {"qwen2", build_qwen2},
      {"qwen2_moe", build_qwen2},
      {"mimo", build_qwen2},
      {"qwen3", build_qwen3},
      {"qwen3_moe", build_qwen3},
      // GPT-2's line
      {"gpt2", build_gpt2},
      {"gpt_bigcode", build_gpt2},
      {"gptj", build_gptj},
      {"gpt_neox", build_gpt_neox},
      {"mpt", build_mpt},
      {"bloom", build_bloom},
      {"opt", build_opt},
      {"falcon", build_falcon},
      {"RefinedWeb", build_falcon},
      {"RefinedWebModel", build_falcon},
      // Names and biases of their own
      {"phi", build_phi},
      {"phi3", build_phi3},
      {"starcoder2", build_starcoder2},
      {"qwen", build_qwen1},
      {"baichuan", build_baichuan},
      {"internlm2", build_internlm2},
      {"chatglm", build_chatglm},
      {"stablelm", build_stablelm},
      // Norms and windows
      {"gemma", build_gemma},
      {"gemma2", build_gemma2},
      {"gemma3", build_gemma3},
      {"gemma3_text", build_gemma3},
      {"cohere", build_cohere},
      {"cohere2", build_cohere},
      {"olmo", build_olmo},
      {"olmo2", build_olmo2},
      {"olmo3", build_olmo2},
      {"exaone4", build_exaone4},
      {"glm4", build_glm4},
      // Experts
      {"mixtral", build_mixtral},
      {"olmoe", build_olmoe},
      {"gpt_oss", build_gpt_oss},
      {"granitemoe", build_granite_moe},
      {"minimax_m2", build_minimax_m2},
      {"glm4_moe", build_glm4_moe},
      {"deepseek", build_deepseek},
      // Latent attention
      {"deepseek_v2", build_deepseek},
      {"deepseek_v3", build_deepseek},
      {"deepseek_v32", build_deepseek},
      {"kimi_k2", build_deepseek},
      {"glm4_moe_lite", build_deepseek},
      {"glm_moe_dsa", build_glm_dsa},
      {"minicpm3", build_deepseek},
      // Encoders
      {"bert", build_bert},
      {"roberta", build_bert},
      {"xlm-roberta", build_bert},
  };
  return list;
}

}  // namespace steelyard::model
