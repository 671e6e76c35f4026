// Every family's function. The list that names them is list.cpp.
#pragma once

#include "model/families/families.h"

namespace steelyard::model {

void build_deepseek(Draft& draft);
void build_glm_dsa(Draft& draft);
void build_deepseek_v4(Draft& draft);
void build_phi(Draft& draft);
void build_phi3(Draft& draft);
void build_starcoder2(Draft& draft);
void build_qwen1(Draft& draft);
void build_baichuan(Draft& draft);
void build_internlm2(Draft& draft);
void build_chatglm(Draft& draft);
void build_stablelm(Draft& draft);
void build_whisper(Draft& draft);
void build_t5(Draft& draft);
void build_bert(Draft& draft);
void build_mixtral(Draft& draft);
void build_gpt_oss(Draft& draft);
void build_granite_moe(Draft& draft);
void build_minimax_m2(Draft& draft);
void build_glm4_moe(Draft& draft);
void build_gemma4(Draft& draft);
void build_gpt2(Draft& draft);
void build_gptj(Draft& draft);
void build_gpt_neox(Draft& draft);
void build_mpt(Draft& draft);
void build_bloom(Draft& draft);
void build_opt(Draft& draft);
void build_falcon(Draft& draft);
void build_qwen3_next(Draft& draft);
void build_jamba(Draft& draft);
void build_granite_hybrid(Draft& draft);
void build_bamba(Draft& draft);
void build_falcon_h1(Draft& draft);
void build_lfm2(Draft& draft);
void build_minimax(Draft& draft);
void build_mamba(Draft& draft);
void build_kimi_linear(Draft& draft);
void build_llama(Draft& draft);
void build_granite(Draft& draft);
void build_qwen2(Draft& draft);
void build_qwen3(Draft& draft);
void build_llama4(Draft& draft);
void build_mimo_v2(Draft& draft);
void build_step(Draft& draft);
void build_minimax_m3(Draft& draft);
void build_wrapped(Draft& draft);
void build_qwen2_vl(Draft& draft);
void build_qwen_omni(Draft& draft);
void build_qwen3_vl(Draft& draft);
void build_mllama(Draft& draft);
void build_nemotron_h(Draft& draft);
void build_nemotron_nas(Draft& draft);
void build_gemma(Draft& draft);
void build_gemma2(Draft& draft);
void build_gemma3(Draft& draft);
void build_cohere(Draft& draft);
void build_olmo(Draft& draft);
void build_olmo2(Draft& draft);
void build_olmoe(Draft& draft);
void build_exaone4(Draft& draft);
void build_glm4(Draft& draft);
void build_rwkv(Draft& draft);
void read_towers(Draft& draft);

}  // namespace steelyard::model
