// llama.cpp and Ollama: every buffer of every device.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "against/parts.h"

namespace steelyard::against {
namespace {

using logs::Setting;
using logs::Term;

const Tolerance buffer_tolerance{.share = 0.01, .least = mib(8)};

// Whatever the backend calls it: the cards by their order, and the host.
bool on_host(std::string_view device) {
  return device.starts_with("CPU") || device.ends_with("_Host") || device == "AMX" ||
         device == "BLAS" || device.starts_with("KleidiAI");
}
bool mapped(std::string_view device) {
  return device.ends_with("_Mapped");
}

std::string_view kind_of(Term term) {
  switch (term) {
    case Term::model_buffer:
      return "model";
    case Term::kv_buffer:
      return "kv";
    case Term::recurrent_buffer:
      return "recurrent";
    case Term::compute_buffer:
      return "compute";
    case Term::output_buffer:
      return "output";
    default:
      return "";
  }
}

// Devices that are cards, in the order of their first line; a mapped buffer is its device's.
std::vector<std::string> cards_of(const logs::StartupLog& log) {
  std::vector<std::string> cards;
  for (const logs::Amount& one : log.amounts) {
    std::string name = one.where;
    if (mapped(name)) name.resize(name.size() - 7);
    if (kind_of(one.term).empty() || on_host(name) || name.empty()) continue;
    if (std::ranges::find(cards, name) == cards.end()) cards.push_back(name);
  }
  std::ranges::sort(cards);
  return cards;
}

std::vector<std::string> predicted_cards(const memory::Answer& answer) {
  std::vector<std::string> cards;
  for (const memory::Buffer& one : answer.buffers) {
    if (on_host(one.device) || std::ranges::find(cards, one.device) != cards.end()) continue;
    cards.push_back(one.device);
  }
  std::ranges::sort(cards);
  return cards;
}

std::optional<ByteFigure> predicted_buffer(const memory::Answer& answer, std::string_view kind,
                                           const std::optional<std::string>& card, bool whole) {
  std::optional<ByteFigure> sum;
  for (const memory::Buffer& one : answer.buffers) {
    if (one.kind != kind) continue;
    if (card ? one.device != *card : !on_host(one.device)) continue;
    // The host's weights stand twice: as tensors, and as the span of the file that is mapped.
    if (!card && kind == "model" && mapped(one.device) != whole) continue;
    sum = sum ? *sum + one.bytes : one.bytes;
  }
  return sum;
}

struct Key {
  std::string card;  // empty: the host
  Term term = Term::model_buffer;
  auto operator<=>(const Key&) const = default;
};

void fill_counts(const Start& start, Comparison& out);

std::uint64_t number_of(const logs::StartupLog& log, Setting setting) {
  const logs::Option* option = log.option(setting);
  std::uint64_t value = 0;
  if (option != nullptr) {
    std::from_chars(option->value.data(), option->value.data() + option->value.size(), value);
  }
  return value;
}

}  // namespace

Result<std::vector<Row>> rows_llama_cpp(const Start& start, Comparison& out) {
  std::map<Key, logs::Amount> logged;
  std::map<Key, bool> is_mapped;
  for (const logs::Amount& one : start.log.amounts) {
    if (kind_of(one.term).empty()) continue;
    std::string card = one.where;
    if (mapped(card)) card.resize(card.size() - 7);
    if (on_host(card)) card.clear();
    const Key key{card, one.term};
    is_mapped[key] = is_mapped[key] || mapped(one.where);
    const auto [at, fresh] = logged.try_emplace(key, one);
    if (fresh) continue;
    at->second.bytes += one.bytes;
    at->second.rounding += one.rounding;
    if (at->second.where.find(one.where) == std::string::npos) at->second.where += "+" + one.where;
  }
  const auto cards = cards_of(start.log);
  const auto ours = predicted_cards(out.predicted);
  std::vector<Row> rows;
  for (const auto& [key, amount] : logged) {
    const auto at = std::ranges::find(cards, key.card);
    const auto index = static_cast<std::size_t>(at - cards.begin());
    std::optional<std::string> card;
    if (!key.card.empty()) card = index < ours.size() ? ours[index] : std::string("none");
    const std::string kind(kind_of(key.term));
    auto predicted = predicted_buffer(out.predicted, kind, card, is_mapped[key]);
    // What nobody predicts for a device that is known there is predicted to be nothing.
    if (!predicted && (!card || *card != "none")) predicted = ByteFigure::exact(Bytes(0));
    Row row = row_of(kind + "_buffer", amount, predicted, buffer_tolerance);
    if (!row.predicted) row.why = "no such device in the prediction";
    rows.push_back(std::move(row));
  }
  fill_counts(start, out);
  return rows;
}

namespace {

void fill_counts(const Start& start, Comparison& out) {
  Room& room = out.room;
  Bytes pool;
  for (const logs::Amount& one : start.log.amounts) {
    if (one.term != Term::kv_buffer && one.term != Term::recurrent_buffer) continue;
    pool += one.bytes;
    if (room.pool_line == 0) room.pool_line = one.line;
  }
  room.pool = pool;
  const std::uint64_t total = number_of(start.log, Setting::total_context);
  const std::uint64_t slots = std::max<std::uint64_t>(1, number_of(start.log, Setting::slots));
  const logs::Count* cells = start.log.count(logs::Counted::cells);
  const std::uint64_t all = total > 0          ? total
                            : cells != nullptr ? static_cast<std::uint64_t>(cells->value)
                                               : 0;
  if (all == 0) {
    room.reason = "the log does not say n_ctx";
    return;
  }
  // Slots share one cache, or each has an equal part.
  const logs::Option* unified = start.log.option(Setting::unified);
  const bool shared = unified != nullptr && unified->value == "true";
  const std::uint64_t each = shared ? all : all / slots;
  room.tokens = static_cast<double>(all);
  room.context = start.question.context.value_or(each);
  room.concurrency = start.question.concurrency.value_or(shared ? 1 : slots);
  const std::uint64_t held = room.context == 0 ? 0 : all / room.context;
  room.sequences = room.context > each ? 0 : static_cast<double>(std::min(slots, held));
  if (room.context > 0 && room.context <= all) {
    room.with_slots = static_cast<double>(all / room.context);
  }
  room.longest =
      static_cast<double>(std::min(each, all / std::max<std::uint64_t>(1, room.concurrency)));
  room.started_for = each;
  // What the first card has left, by its own count of free memory.
  for (const logs::Amount& one : start.log.amounts) {
    if (one.term != Term::card_free) continue;
    Bytes used;
    for (const logs::Amount& other : start.log.amounts) {
      if (other.where == one.where && !kind_of(other.term).empty()) used += other.bytes;
    }
    if (used > one.bytes) continue;
    const Bytes left = one.bytes - used;
    if (!room.left || left < *room.left) room.left = left;
  }
  const ByteFigure per_token = memory::kv_bytes_per_token(start.model, start.request);
  if (room.left && per_token.value.value() > 0) {
    room.more_tokens = room.left->as_double() / per_token.value.as_double();
  }
}

}  // namespace
}  // namespace steelyard::against
