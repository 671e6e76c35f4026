// Every family's function. The list that names them is list.cpp.
#pragma once

#include "model/families/families.h"

namespace steelyard::model {

void build_gpt2(Draft& draft);
void build_gptj(Draft& draft);
void build_gpt_neox(Draft& draft);
void build_mpt(Draft& draft);
void build_bloom(Draft& draft);
void build_opt(Draft& draft);
void build_falcon(Draft& draft);
void build_phi(Draft& draft);
void build_phi3(Draft& draft);
void build_starcoder2(Draft& draft);
void build_qwen1(Draft& draft);
void build_baichuan(Draft& draft);
void build_internlm2(Draft& draft);
void build_chatglm(Draft& draft);
void build_stablelm(Draft& draft);
void build_gemma(Draft& draft);
void build_gemma2(Draft& draft);
void build_gemma3(Draft& draft);
void build_cohere(Draft& draft);
void build_olmo(Draft& draft);
void build_olmo2(Draft& draft);
void build_olmoe(Draft& draft);
void build_exaone4(Draft& draft);
void build_glm4(Draft& draft);
void build_mixtral(Draft& draft);
void build_gpt_oss(Draft& draft);
void build_granite_moe(Draft& draft);
void build_minimax_m2(Draft& draft);
void build_glm4_moe(Draft& draft);
void build_deepseek(Draft& draft);
void build_glm_dsa(Draft& draft);
void read_towers(Draft& draft);
void build_bert(Draft& draft);
void build_llama(Draft& draft);
void build_granite(Draft& draft);
void build_qwen2(Draft& draft);
void build_qwen3(Draft& draft);

}  // namespace steelyard::model
