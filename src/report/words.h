// Every word the reader sees, in one table, so that another language can stand beside.
#pragma once

#include <string_view>

namespace steelyard::report {

enum class Word {
  yes,
  tight,
  no,
  not_judged,
  closest,
  smallest,
  assumed,
  next,
  warning,
  note,
  of_budget,
  compare,
  capacity,
  weights,
  kv_cache,
  recurrent_state,
  activations,
  logits,
  runtime,
  cuda_graphs,
  communication,
  adapters,
  draft,
  encoder_cache,
  offloaded_to_host,
  gradients,
  optimizer,
  master_weights,
  reserved,
  process,
  host,
  claim_right,
  claim_not_comparable,
  claim_misleading,
  claim_unknown,
  claim_wrong,
  claim_impossible,
  claim_no_figure,
  claim_contradicts,
  pipeline_open,
  pipeline_no,
  pipeline_all,
  pipeline_one,
  pipeline_known,
  pipeline_unknown,
  claim_depends,
  claim_holds,
  claim_elsewhere,
  quality,
  offers_none,
  offers_history,
  offers_older,
  offers_per_card,
  offers_replaced,
  offers_superseded,
  offers_later,
  offers_unknown,
  claim_in_practice,
  claim_ask,
  claim_not_read,
  claim_not_read_title,
  claim_aside,
  claim_open,
  against_agrees,
  against_off,
  against_open,
  kv_pool,
};

std::string_view say(Word word);
// The label of a memory term by its name in the document ("kv_cache" -> "KV cache"); the name
// itself when the table lacks it.
std::string_view term_label(std::string_view term);

}  // namespace steelyard::report
