#include "report/words.h"

#include <algorithm>
#include <array>

namespace steelyard::report {
namespace {

struct Row {
  Word word;
  std::string_view id;
  std::string_view en;
};

constexpr auto rows = std::to_array<Row>({
    {Word::yes, "fits", "YES"},
    {Word::tight, "tight", "TIGHT"},
    {Word::no, "does_not_fit", "NO"},
    {Word::not_judged, "not_established", "SUM"},
    {Word::closest, "closest", "closest that fits"},
    {Word::smallest, "smallest", "smallest cards that hold it"},
    {Word::assumed, "assumed", "assumed"},
    {Word::next, "next", "next"},
    {Word::warning, "warning", "warning"},
    {Word::note, "note", "note"},
    {Word::of_budget, "of_budget", "of budget"},
    {Word::compare, "compare", "side by side"},
    {Word::capacity, "capacity", "room"},
    {Word::weights, "weights", "weights"},
    {Word::kv_cache, "kv_cache", "KV cache"},
    {Word::recurrent_state, "recurrent_state", "recurrent state"},
    {Word::activations, "activations", "activations"},
    {Word::logits, "logits", "logits"},
    {Word::runtime, "runtime", "runtime"},
    {Word::cuda_graphs, "cuda_graphs", "CUDA graphs"},
    {Word::communication, "communication", "communication"},
    {Word::adapters, "adapters", "adapters"},
    {Word::draft, "draft", "draft model"},
    {Word::encoder_cache, "encoder_cache", "encoder cache"},
    {Word::offloaded_to_host, "offloaded_to_host", "in host memory"},
    {Word::gradients, "gradients", "gradients"},
    {Word::optimizer, "optimizer", "optimizer"},
    {Word::master_weights, "master_weights", "master weights"},
    {Word::reserved, "reserved", "reserved"},
    {Word::process, "process", "process"},
    {Word::host, "host", "host memory"},
    {Word::claim_right, "claim_right", "fits"},
    {Word::claim_not_comparable, "claim_not_comparable", "not comparable"},
    {Word::claim_misleading, "claim_misleading", "misleading"},
    {Word::claim_unknown, "claim_unknown", "cannot tell"},
    {Word::claim_wrong, "claim_wrong", "wrong"},
    {Word::claim_impossible, "claim_impossible", "impossible"},
    {Word::claim_no_figure, "claim_no_figure", "no figure to read; what the card is stands below"},
    {Word::claim_contradicts, "claim_contradicts",
     "a figure fits only meanings that the rest of the text contradicts"},
    {Word::claim_depends, "claim_depends",
     "the figures are real, but not what they seem: see each meaning"},
    {Word::claim_holds, "claim_holds", "every figure is what the card has"},
    {Word::claim_elsewhere, "claim_elsewhere", "would also fit, but for the rest of the text:"},
    {Word::offers_none, "offers_none", "no offer fits"},
    {Word::offers_history, "offers_history", "history"},
    {Word::offers_older, "offers_older", "older than a year and left out; --all shows them"},
    {Word::offers_per_card, "offers_per_card", "per card and hour; then of the whole instance"},
    {Word::offers_replaced, "offers_replaced", "replaced"},
    {Word::offers_superseded, "offers_superseded",
     "replaced by a newer price of the same thing and left out; --all shows them"},
    {Word::offers_later, "offers_later", "seen after the day of --as-of and left out"},
    {Word::offers_unknown, "offers_unknown", "of cards that the catalogue lacks"},
    {Word::pipeline_open, "pipeline_open", "OPEN"},
    {Word::pipeline_no, "pipeline_no",
     "the largest component alone is more than that: as published it runs only with its blocks "
     "moved from the host one by one, or in a smaller format"},
    {Word::pipeline_all, "pipeline_all",
     "the weights fit at once; whether a run fits depends on its activations, which are not "
     "established"},
    {Word::pipeline_one, "pipeline_one",
     "the weights do not fit at once, the largest component alone does, with the others moved to "
     "the host between steps; whether a run fits depends on its activations, which are not "
     "established"},
    {Word::pipeline_known, "pipeline_known",
     "the weights whose size is known fit at once, but the size of a component is not known; "
     "whether "
     "a run fits depends on that and on its activations, which are not established"},
    {Word::pipeline_unknown, "pipeline_unknown",
     "what activations need (by picture size, frames and attention kernel) is not established: "
     "no measured figures with a source stand behind a rule"},
    {Word::quality, "quality", "quality"},
    {Word::claim_in_practice, "claim_in_practice", "what you will see"},
    {Word::claim_ask, "claim_ask", "ask the seller"},
    {Word::claim_not_read, "claim_not_read", "not read:"},
    {Word::claim_not_read_title, "claim_not_read_title", "not read"},
    {Word::claim_aside, "claim_aside", "not of the card, not judged"},
    {Word::claim_open, "claim_open", "OPEN"},
    {Word::against_agrees, "against_agrees", "AGREES"},
    {Word::against_off, "against_off", "OFF"},
    {Word::against_open, "against_open", "OPEN"},
    {Word::kv_pool, "kv_pool", "KV pool"},
});

}  // namespace

std::string_view say(Word word) {
  const auto found = std::ranges::find(rows, word, &Row::word);
  return found == rows.end() ? std::string_view() : found->en;
}

std::string_view term_label(std::string_view term) {
  const auto found = std::ranges::find(rows, term, &Row::id);
  return found == rows.end() ? term : found->en;
}

}  // namespace steelyard::report
