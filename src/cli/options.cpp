// The options that several commands share; wording here is what help and the man page print.
#include <array>

#include "cli/command.h"

namespace steelyard::cli {
namespace {

constexpr auto common = std::to_array<Option>({
    {"--json", "", "", "print one JSON document on standard output"},
    {"-o", "", "FILE", "also write FILE; .json .csv .md .txt by ending, - is standard output",
     true},
    {"--quiet", "-q", "", "print the verdict line only"},
    {"--verbose", "-v", "", "print more of the working", true},
    {"--explain", "", "", "print formula, inputs and origin of each figure"},
    {"--color", "", "WHEN", "colour the verdict (default auto; NO_COLOR is honoured)", false,
     "auto|always|never"},
    {"--lang", "", "LANG", "language of the answer (en; zh is later work)", false, "en|zh"},
    {"--data", "", "DIR", "extra or overriding facts, laid out as data/ is"},
    {"--offline", "", "", "ask no model hub"},
    {"--fail-on", "", "WHAT", "when to exit 1 (default fail)", false, "never|fail|warn"},
    {"--help", "-h", "", "show this help"},
});

constexpr auto card = std::to_array<Option>({
    {"--gpu", "-g", "NAME[:N]", "card and how many of them; repeat to compare", true},
    {"--gpu-memory", "", "SIZE", "memory of a card that the catalogue lacks (24GiB)"},
    {"--gpu-bandwidth", "", "GB/s", "its memory bandwidth"},
    {"--gpu-bf16", "", "TFLOP/s", "its dense bf16 rate"},
    {"--memory-in-use", "", "SIZE", "memory that others hold on each card already"},
    {"--nodes", "", "N", "machines with that many cards each"},
    {"--interconnect", "", "NAME|GB/s", "link between the machines"},
});

constexpr auto workload = std::to_array<Option>({
    {"--mode", "", "MODE", "what to do with the model (default serve)", false,
     "serve|lora|qlora|full|pretrain"},
    {"--weights", "-w", "FORMAT",
     "weight format: bf16 fp8 int8 awq gptq nf4 nvfp4 mxfp4 q4_k_m ..."},
    {"--dtype", "", "TYPE", "compute type (default: what the config says)"},
    {"--kv", "", "K[,V]", "KV cache format: bf16 fp8 q8_0 q4_0 ..."},
    {"--context", "-c", "N", "tokens per sequence (8k = 8192)"},
    {"--ctx-size", "", "N", "llama.cpp's own total, shared by its slots"},
    {"--concurrency", "-n", "N", "sequences at once"},
    {"--input", "", "N", "input tokens per request"},
    {"--output", "", "N", "output tokens per request"},
    {"--engine", "-e", "NAME[@VERSION]",
     "vllm sglang tensorrt-llm llama.cpp ollama transformers (default vllm, or llama.cpp for "
     "GGUF and Macs)"},
    {"--memory-utilization", "", "F", "share of the card the engine may use"},
    {"--max-batched-tokens", "", "N", "tokens of one scheduler step"},
    {"--max-num-seqs", "", "N", "largest number of running sequences"},
    {"--ubatch", "", "N", "llama.cpp's physical batch"},
    {"--cuda-graphs", "", "on|off", "captured graphs (off: less memory, slower decode)", false,
     "on|off"},
    {"--flash-attention", "", "on|off", "llama.cpp and training: flash attention", false, "on|off"},
    {"--gpu-layers", "", "N", "llama.cpp: layers on the card"},
    {"--offload", "", "WHERE", "where what does not fit goes; in training the parameters", false,
     "none|cpu|nvme"},
    {"--images", "", "N[@WxH]", "images per request"},
    {"--adapters", "", "N", "LoRA adapters served beside the model"},
    {"--rank", "", "R", "rank of adapters, served or trained (default 16)"},
    {"--draft", "", "MODEL", "draft model for speculative decoding"},
    {"--mtp", "", "N", "speculative depth with the model's own MTP layers"},
});

constexpr auto placement = std::to_array<Option>({
    {"--tp", "", "N|auto", "tensor parallel"},
    {"--pp", "", "N|auto", "pipeline parallel"},
    {"--dp", "", "N", "replicas of the whole engine"},
    {"--ep", "", "N|auto", "expert parallel"},
    {"--cp", "", "N|auto", "context parallel"},
    {"--attention-dp", "", "N", "attention data parallel inside one engine"},
    {"--dcp", "", "N", "decode context parallel"},
});

constexpr auto training = std::to_array<Option>({
    {"--framework", "", "NAME", "whose memory rules (default transformers)", false,
     "transformers|torchtune|torchtitan|megatron|deepspeed|axolotl|llama-factory|unsloth"},
    {"--seq-len", "", "N", "tokens per sequence (default 2048)"},
    {"--micro-batch", "", "N", "sequences per card and step (default 1)"},
    {"--grad-accum", "", "N", "micro-batches per optimizer step (default 1)"},
    {"--optimizer", "", "NAME", "default: the framework's own", false,
     "adamw|adamw-fused|adamw-8bit|adamw-4bit|paged-adamw-8bit|adafactor|lion|muon|sgd"},
    {"--precision", "", "P", "default mixed; pure-bf16 under adapters", false,
     "mixed|pure-bf16|fp32"},
    {"--zero", "", "STAGE", "ZeRO or FSDP (default 3 on several cards, Megatron 1)", false,
     "0|1|2|3"},
    {"--optimizer-offload", "", "WHERE", "where the optimizer's states live", false,
     "none|cpu|nvme"},
    {"--recompute", "", "WHAT", "activation checkpointing (default full; pretrain selective)",
     false, "none|selective|full"},
    {"--targets", "", "LIST",
     "matrices with adapters: all, attention, mlp or q,k,v,o,gate,up,down"},
    {"--loss", "", "KIND", "how logits become a loss (default standard)", false,
     "standard|chunked|fused-linear"},
    {"--kernels", "", "KIND", "norms and losses by Triton kernels such as Liger's", false,
     "eager|fused"},
    {"--padding-free", "", "", "sequences packed one behind the other"},
});

}  // namespace

const std::span<const Option> common_options = common;
const std::span<const Option> card_options = card;
const std::span<const Option> workload_options = workload;
const std::span<const Option> placement_options = placement;
const std::span<const Option> training_options = training;

}  // namespace steelyard::cli
