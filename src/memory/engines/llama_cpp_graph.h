// What a compute graph needs in scratch memory: llama.cpp's scheduler and graph allocator, replayed
// on sizes alone. No tensor exists; a node is a number of bytes, a device and its sources.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

namespace steelyard::memory::llama_cpp {

// Nodes are added in the order the engine would run them. Devices are 0..cards-1; the host is the
// device after the last card.
class ComputeGraph {
 public:
  using Node = std::uint32_t;
  static constexpr Node none = ~Node{0};

  explicit ComputeGraph(std::uint32_t cards) : host_(cards) { entries_.reserve(512); }
  std::uint32_t host() const { return host_; }

  // A graph input: written by the program, lives on the host, copied to the cards that read it.
  Node input(std::uint64_t bytes);
  // A weight or a cache: already in memory elsewhere. A device that reads it from afar copies
  // `bytes` of it; a weight also starts a new split, so that its copy can be freed early.
  Node stored(std::uint64_t bytes, std::uint32_t device, bool is_weight);
  // A result with memory of its own.
  Node op(std::uint32_t device, std::uint64_t bytes, std::initializer_list<Node> sources);
  // A result that takes over the memory of a source of the same size, if nobody else needs it.
  Node in_place(std::uint32_t device, std::uint64_t bytes, std::initializer_list<Node> sources);
  // The same bytes seen in another shape.
  Node view(Node source);
  // An operation that only writes into a stored tensor (a cache update), to the rows of `index`.
  void store(Node target, Node source, Node index = none);
  // The same where the writer reaches the stored tensor itself: nothing is copied.
  void store_from_afar(Node source) { op(entries_[source].device, 0, {source}); }

  // Largest fill of each device's buffer (host last). With `copies` > 1 (pipeline parallelism) each
  // input that crosses devices is kept that often and never freed. `through_views`: an operation
  // may also take over the memory behind a view (the allocator of 2023).
  std::vector<std::uint64_t> reserve(std::uint32_t copies, bool through_views) const;

 private:
  friend class GraphReplay;
  enum class Kind { input, stored, op, view };
  // No operation of the engine reads more than eight tensors that are not constants.
  class Sources {
   public:
    void push_back(Node node) { nodes_[size_++] = node; }
    std::size_t size() const { return size_; }
    Node* begin() { return nodes_.data(); }
    Node* end() { return nodes_.data() + size_; }
    const Node* begin() const { return nodes_.data(); }
    const Node* end() const { return nodes_.data() + size_; }

   private:
    std::array<Node, 8> nodes_{};
    std::uint32_t size_ = 0;
  };
  struct Entry {
    Kind kind = Kind::op;
    std::uint64_t bytes = 0;
    std::uint32_t device = 0;
    bool in_place = false;
    bool is_weight = false;
    Node root = none;   // of a view: the tensor it looks into
    Sources sources{};  // none are left out
  };
  Entry& add(Kind kind, std::uint32_t device, std::uint64_t bytes,
             std::initializer_list<Node> sources);
  Node last() const { return static_cast<Node>(entries_.size() - 1); }

  std::uint32_t host_;
  std::vector<Entry> entries_;
};

}  // namespace steelyard::memory::llama_cpp
