#include "memory/engines/llama_cpp_graph.h"

#include <algorithm>
#include <cassert>

#include "base/base.h"
#include "memory/engines/llama_cpp_heap.h"

namespace steelyard::memory::llama_cpp {

using Node = ComputeGraph::Node;

// Built in place: an evaluation makes hundreds of them.
ComputeGraph::Entry& ComputeGraph::add(Kind kind, std::uint32_t device, std::uint64_t bytes,
                                       std::initializer_list<Node> sources) {
  Entry& entry = entries_.emplace_back();
  entry.kind = kind;
  entry.bytes = bytes;
  entry.device = device;
  for (Node s : sources) {
    if (s == none) continue;
    assert(entry.sources.size() < 8);
    entry.sources.push_back(s);
  }
  return entry;
}

Node ComputeGraph::input(std::uint64_t bytes) {
  add(Kind::input, host_, bytes, {});
  return last();
}

Node ComputeGraph::stored(std::uint64_t bytes, std::uint32_t device, bool is_weight) {
  add(Kind::stored, device, bytes, {}).is_weight = is_weight;
  return last();
}

Node ComputeGraph::op(std::uint32_t device, std::uint64_t bytes,
                      std::initializer_list<Node> sources) {
  add(Kind::op, device, bytes, sources);
  return last();
}

Node ComputeGraph::in_place(std::uint32_t device, std::uint64_t bytes,
                            std::initializer_list<Node> sources) {
  add(Kind::op, device, bytes, sources).in_place = true;
  return last();
}

Node ComputeGraph::view(Node source) {
  const Entry& from = entries_[source];
  const Node root = from.kind == Kind::view ? from.root : source;
  const std::uint32_t device = from.device;
  const std::uint64_t bytes = from.bytes;
  add(Kind::view, device, bytes, {source}).root = root;
  return last();
}

void ComputeGraph::store(Node target, Node source, Node index) {
  add(Kind::view, entries_[target].device, 0, {source, index}).root = target;
}

// The run order with the scheduler's copies in it, and then the allocator over that order.
class GraphReplay {
 public:
  GraphReplay(const ComputeGraph& graph, std::uint32_t copies, bool through_views)
      : graph_(graph),
        copies_(copies),
        through_views_(through_views),
        devices_(graph.host_ + 1),
        heaps_(devices_) {
    tensors_.reserve(graph.entries_.size() * 3 / 2);
    order_.reserve(graph.entries_.size() * 3 / 2);
    for (const auto& e : graph.entries_) {
      Tensor& t = tensors_.emplace_back();
      t.bytes = e.bytes;
      t.device = e.device;
      t.in_place = e.in_place;
      t.owned = e.kind != ComputeGraph::Kind::stored;
      t.root = e.root;
      t.sources = e.sources;
    }
    copy_of_.assign(tensors_.size() * devices_, ComputeGraph::none);
  }

  std::vector<std::uint64_t> run() {
    schedule();
    count_uses();
    allocate();
    std::vector<std::uint64_t> sizes;
    for (const auto& heap : heaps_) sizes.push_back(heap.peak());
    return sizes;
  }

 private:
  struct Tensor {
    std::uint64_t bytes = 0;
    std::uint32_t device = 0;
    bool in_place = false;
    bool owned = true;  // lives in a compute buffer
    bool kept = false;  // never freed
    Node root = ComputeGraph::none;
    ComputeGraph::Sources sources{};
    int children = 0, views = 0;
    bool allocated = false;
    std::uint64_t offset = 0;
  };

  bool far(Node source, std::uint32_t device) const { return tensors_[source].device != device; }

  // True when `node` must begin a split: another device than the one before, or a far weight while
  // the running split has copies already.
  bool begins_split(Node node, std::uint32_t running, bool has_copies) const {
    const auto& e = graph_.entries_[node];
    if (e.device != running) return true;
    if (!has_copies) return false;
    return std::any_of(e.sources.begin(), e.sources.end(),
                       [&](Node s) { return graph_.entries_[s].is_weight && far(s, e.device); });
  }

  void schedule() {
    const auto& entries = graph_.entries_;
    std::uint32_t running = ~0U;
    bool has_copies = false;
    std::size_t split_at = 0;
    std::vector<Node> pending;  // copies of the running split
    std::vector<Node> body;
    body.reserve(entries.size());
    auto close = [&] {
      order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(split_at), pending.begin(),
                    pending.end());
      order_.insert(order_.end(), body.begin(), body.end());
      pending.clear();
      body.clear();
      split_at = order_.size();
      has_copies = false;
    };
    for (Node i = 0; i < entries.size(); ++i) {
      const auto kind = entries[i].kind;
      if (kind == ComputeGraph::Kind::input) leaves_.push_back(i);
      if (kind == ComputeGraph::Kind::input || kind == ComputeGraph::Kind::stored) continue;
      // A view of the same device needs no scheduling of its own; one of a far tensor is copied by
      // whoever reads it.
      if (kind == ComputeGraph::Kind::op || entries[i].bytes == 0) {
        if (begins_split(i, running, has_copies)) {
          close();
          running = entries[i].device;
        }
        for (Node& s : tensors_[i].sources) {
          note_input(s);
          if (!far(s, running)) continue;
          const bool fresh = copy_of_[s * devices_ + running] == ComputeGraph::none;
          s = copy(s, running, pending);
          has_copies = has_copies || fresh;
        }
      }
      body.push_back(i);
    }
    close();
  }

  // Under pipeline parallelism each input is held once per copy where it is written.
  void note_input(Node source) {
    if (copies_ < 2 || graph_kind(source) != ComputeGraph::Kind::input) return;
    if (tensors_[source].kept) return;
    tensors_[source].kept = true;
    for (std::uint32_t c = 1; c < copies_; ++c) {
      leaves_.push_back(fresh_tensor(tensors_[source].bytes, tensors_[source].device, true));
    }
  }

  ComputeGraph::Kind graph_kind(Node n) const {
    return n < graph_.entries_.size() ? graph_.entries_[n].kind : ComputeGraph::Kind::op;
  }

  Node fresh_tensor(std::uint64_t bytes, std::uint32_t device, bool kept) {
    tensors_.push_back({.bytes = bytes, .device = device, .kept = kept});
    return static_cast<Node>(tensors_.size() - 1);
  }

  Node copy(Node source, std::uint32_t device, std::vector<Node>& pending) {
    const std::size_t key = source * devices_ + device;
    if (copy_of_[key] != ComputeGraph::none) return copy_of_[key];
    const std::uint64_t bytes = tensors_[source].bytes;
    const Node made = fresh_tensor(bytes, device, copies_ > 1);
    // The source must live until the copy is made: a view of it stands before the copy.
    if (tensors_[source].owned || tensors_[source].root != ComputeGraph::none) {
      const Node root =
          tensors_[source].root != ComputeGraph::none ? tensors_[source].root : source;
      tensors_.push_back({.bytes = bytes, .device = tensors_[source].device, .root = root});
      tensors_.back().sources.push_back(source);
      pending.push_back(static_cast<Node>(tensors_.size() - 1));
    }
    if (copies_ > 1) {
      leaves_.push_back(made);
      for (std::uint32_t c = 1; c < copies_; ++c) {
        leaves_.push_back(fresh_tensor(bytes, device, true));
      }
    } else {
      pending.push_back(made);
    }
    copy_of_[key] = made;
    return made;
  }

  void count_uses() {
    for (Node n : order_) {
      Tensor& t = tensors_[n];
      if (t.root != ComputeGraph::none) ++tensors_[t.root].views;
      for (Node s : t.sources) ++tensors_[s].children;
    }
  }

  // The source whose memory `t` may take over: of the same size, with no other reader.
  Node reusable(const Tensor& t) const {
    if (!t.in_place) return ComputeGraph::none;
    for (Node s : t.sources) {
      const Tensor& parent = tensors_[s];
      const bool is_view = parent.root != ComputeGraph::none;
      if (is_view && !through_views_) continue;
      const Node owner = is_view ? parent.root : s;
      const Tensor& held = tensors_[owner];
      if (!held.owned || !held.allocated || held.kept || held.bytes != t.bytes) continue;
      if (held.device != t.device || parent.children != 1 || parent.views != 0) continue;
      if (!is_view || (held.views == 1 && held.children == 0)) return owner;
    }
    return ComputeGraph::none;
  }

  void place(Node n) {
    Tensor& t = tensors_[n];
    if (!t.owned || t.allocated || t.root != ComputeGraph::none) return;
    t.allocated = true;
    const Node old = reusable(t);
    if (old != ComputeGraph::none) {
      t.offset = tensors_[old].offset;
      tensors_[old].allocated = false;
      return;
    }
    t.offset = heaps_[t.device].take(t.bytes);
  }

  void release(Node n) {
    Tensor& t = tensors_[n];
    if (!t.owned || !t.allocated || t.kept) return;
    heaps_[t.device].give(t.offset, t.bytes);
    t.allocated = false;
  }

  void allocate() {
    for (Node n : leaves_) place(n);
    for (Node n : order_) {
      for (Node s : tensors_[n].sources) place(s);
      place(n);
      for (Node s : tensors_[n].sources) {
        Tensor& parent = tensors_[s];
        --parent.children;
        if (parent.children != 0 || parent.views != 0) continue;
        if (parent.root == ComputeGraph::none) {
          release(s);
        } else {
          Tensor& held = tensors_[parent.root];
          --held.views;
          if (held.views == 0 && held.children == 0) release(parent.root);
        }
      }
    }
  }

  const ComputeGraph& graph_;
  std::uint32_t copies_;
  bool through_views_;
  std::uint32_t devices_;
  std::vector<Heap> heaps_;
  std::vector<Tensor> tensors_;
  std::vector<Node> copy_of_;  // [source x devices + device]
  std::vector<Node> leaves_, order_;
};

std::vector<std::uint64_t> ComputeGraph::reserve(std::uint32_t copies, bool through_views) const {
  return GraphReplay(*this, copies, through_views).run();
}

}  // namespace steelyard::memory::llama_cpp
