// The list of commands. To add one: a row here, a function in verbs.h, a file of its own.
#include <array>

#include "cli/command.h"
#include "cli/verbs.h"

namespace steelyard::cli {
namespace {

constexpr auto gpus_options = std::to_array<Option>({
    {"--names", "", "", "print the names alone, one per line"},
    {"--claim", "", "TEXT",
     "read an advert (English or Chinese; - is standard input): every meaning "
     "that fits its figures"},
});
constexpr auto offers_options = std::to_array<Option>({
    {"--gpu", "-g", "NAME", "only offers of this card"},
    {"--provider", "", "NAME", "only this provider"},
    {"--tier", "", "TIER", "only this tier: on-demand, reserved, monthly, spot, marketplace ..."},
    {"--currency", "", "CUR", "only prices in this currency; nothing is converted"},
    {"--offers", "", "FILE", "your own price list (.csv or .toml, docs/offers.md)", true},
    {"--all", "", "", "also history: older than a year, or replaced by a newer price"},
    {"--as-of", "", "DATE", "judge ages as on this day (default today)"},
});
constexpr auto models_options = std::to_array<Option>({
    {"--names", "", "", "print the names alone, one per line"},
    {"--here", "", "", "judge against the memory of this machine"},
});

constexpr auto against_options = std::to_array<Option>({
    {"--against", "", "LOG",
     "compare with what the engine itself logged when it started (vLLM, SGLang, llama.cpp, "
     "Ollama; - is standard input); exit 0: all figures agree, 1: one is off"},
});

const auto size_groups = std::to_array<OptionGroup>({{"Log", against_options},
                                                     {"Card", card_options},
                                                     {"Workload", workload_options},
                                                     {"Placement", placement_options},
                                                     {"Training", training_options},
                                                     {"Common", common_options}});
const auto gpus_groups =
    std::to_array<OptionGroup>({{"List", gpus_options}, {"Common", common_options}});
const auto models_groups = std::to_array<OptionGroup>({{"List", models_options},
                                                       {"Card", card_options},
                                                       {"Workload", workload_options},
                                                       {"Common", common_options}});
const auto offers_groups =
    std::to_array<OptionGroup>({{"List", offers_options}, {"Common", common_options}});
const auto common_groups = std::to_array<OptionGroup>({{"Common", common_options}});

const auto table = std::to_array<Command>({
    {"size", "Will it fit, and what else would? Memory of a model on a card, term by term.",
     "MODEL", 1, size_groups,
     "steelyard size qwen3-32b --gpu \"RTX 4090\"\n"
     "steelyard size ./config.json --gpu H100:2 --context 32k --concurrency 16\n"
     "steelyard size model.gguf --gpu \"RTX 3090\" --kv q8_0 --context 16k\n"
     "steelyard size 70b --gpu \"A100 80GB\" --weights q4_k_m --engine llama.cpp\n"
     "steelyard size 27b --weights fp8\n"
     "steelyard size 13b --mode lora --gpu \"A100 40GB\"\n"
     "steelyard size qwen3-8b --against vllm.log --context 8k",
     run_size},
    {"gpus", "The catalogue of cards with sources; one in full, or two side by side.", "[A [B]]", 2,
     gpus_groups,
     "steelyard gpus\nsteelyard gpus \"RTX 4090\"\nsteelyard gpus \"A100 80GB\" \"H100 SXM\"\n"
     "steelyard gpus --claim \"8卡A100 80G 独享 1248TFLOPS\"",
     run_gpus},
    {"models", "The catalogue of models; with a card, what runs on it.", "[MODEL]", 1,
     models_groups,
     "steelyard models\nsteelyard models qwen3-32b\nsteelyard models --gpu \"RTX 4090\" --context "
     "8k",
     run_models},
    {"offers", "What providers ask for cards, with dates and sources; what an instance type holds.",
     "[FILTER]", 1, offers_groups,
     "steelyard offers --gpu H100\nsteelyard offers --offers mine.csv --gpu 4090\n"
     "steelyard offers ecs.gn7i-c8g1.2xlarge",
     run_offers},
    {"completions", "Prints the completion script of a shell.", "bash|zsh|fish", 1, common_groups,
     "steelyard completions bash > /etc/bash_completion.d/steelyard", run_completions},
    {"man", "Prints the manual page.", "", 0, common_groups, "steelyard man | man -l -", run_man},
});

constexpr auto later_verbs = std::to_array<std::string_view>(
    {"plan", "pick", "cost", "simulate", "probe", "check", "loadtest", "diagnose", "explain",
     "doctor", "report", "serve"});

}  // namespace

std::span<const Command> commands() {
  return table;
}
std::span<const std::string_view> later_commands() {
  return later_verbs;
}

}  // namespace steelyard::cli
