/// Trees (Open MPI 4.1, ompi/mca/coll/base/coll_base_topo.c; MPICH 4.0). A tree is parents and levels over ranks
/// relative to the root: data go down level by level, results come up in the opposite order. The level is the round, so
/// a node that sends to several children does so within one round, except in binomial and k-nomial trees, whose rounds
/// are the digits of the relative rank: in round k a node sends to those that differ in digit k.
#include "mpi/schedules/schedule.h"

#include <algorithm>
#include <bit>

namespace mora::mpi::schedule {
namespace {

struct Edge {
  std::uint32_t round, parent, child;  ///< ranks relative to the root; round of going down
};

Edge edge_to(Tree tree, std::uint32_t v, std::uint32_t ranks) {
  switch (tree) {
    case Tree::linear:
      return {0, 0, v};
    case Tree::chain:
      return {v - 1, v - 1, v};
    case Tree::binary: {
      // Level l holds 2^l ranks from 2^l - 1; the children of u on it are u + 2^l and u + 2·2^l.
      const auto width = std::bit_floor(v + 1);
      const auto above = width / 2;
      const auto parent = v - above < above - 1 + above ? v - above : v - width;
      return {static_cast<std::uint32_t>(std::bit_width(width)) - 2, parent, v};
    }
    case Tree::binomial_low: {
      const auto bit = v & (~v + 1);
      return {rounds(tree, ranks) - static_cast<std::uint32_t>(std::bit_width(bit)), v - bit, v};
    }
    case Tree::binomial_high:
      return {static_cast<std::uint32_t>(std::bit_width(v)) - 1, v - std::bit_floor(v), v};
    case Tree::knomial4: {
      std::uint32_t digit = 0;
      std::uint64_t radix = 4;
      while (v % radix == 0) radix *= 4, ++digit;
      return {rounds(tree, ranks) - 1 - digit, static_cast<std::uint32_t>(v / radix * radix), v};
    }
  }
  return {};
}

/// Edges by round, then child.
std::vector<Edge> edges_of(Tree tree, std::uint32_t ranks) {
  std::vector<Edge> edges;
  edges.reserve(ranks);
  for (std::uint32_t v = 1; v < ranks; ++v) edges.push_back(edge_to(tree, v, ranks));
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.round < b.round; });
  return edges;
}

/// Edges by round of coming up, then child.
std::vector<Edge> edges_up(Tree tree, std::uint32_t ranks) {
  auto edges = edges_of(tree, ranks);
  const auto last = rounds(tree, ranks);
  for (Edge& e : edges) e.round = last - 1 - e.round;
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.round < b.round; });
  return edges;
}

/// Ranks below v, itself included: contiguous in the trees that gather and scatter use.
std::uint32_t subtree(Tree tree, std::uint32_t v, std::uint32_t ranks) {
  return tree == Tree::binomial_low ? std::min(v & (~v + 1), ranks - v) : 1;
}

}  // namespace

std::uint32_t rounds(Tree tree, std::uint32_t ranks) {
  if (ranks < 2) return 0;
  const auto log = static_cast<std::uint32_t>(std::bit_width(ranks - 1));
  switch (tree) {
    case Tree::linear:
      return 1;
    case Tree::chain:
      return ranks - 1;
    case Tree::binary:
      return static_cast<std::uint32_t>(std::bit_width(ranks)) - 1;
    case Tree::binomial_low:
    case Tree::binomial_high:
      return log;
    case Tree::knomial4:
      return (log + 1) / 2;
  }
  return 0;
}

void bcast(Tree tree, std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink,
           std::uint32_t first_round) {
  for (const Edge& e : edges_of(tree, ranks))
    sink({first_round + e.round, (e.parent + root) % ranks, (e.child + root) % ranks, 0, 1, false, bytes});
}

void reduce(Tree tree, std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink,
            std::uint32_t first_round) {
  for (const Edge& e : edges_up(tree, ranks))
    sink({first_round + e.round, (e.child + root) % ranks, (e.parent + root) % ranks, 0, 1, true, bytes});
}

void reduce_in_order_binary(std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink) {
  // Subtree of ranks [first, first + n): its root is the last of them; the lower n/2 are its right subtree, the rest
  // but the root its left one.
  std::vector<Edge> edges;
  struct Part {
    std::uint32_t first, n, depth;
  };
  std::vector<Part> parts{{0, ranks, 0}};
  std::uint32_t deepest = 0;
  while (!parts.empty()) {
    const auto [first, n, depth] = parts.back();
    parts.pop_back();
    if (n < 2) continue;
    const auto top = first + n - 1, right = n / 2, left = n - 1 - right;
    deepest = std::max(deepest, depth);
    if (left > 0) {
      edges.push_back({depth, top, first + right + left - 1});
      parts.push_back({first + right, left, depth + 1});
    }
    edges.push_back({depth, top, first + right - 1});
    parts.push_back({first, right, depth + 1});
  }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.round > b.round; });
  for (const Edge& e : edges) sink({deepest - e.round, e.child, e.parent, 0, 1, true, bytes});
  if (ranks > 1 && root != ranks - 1) sink({deepest + 1, ranks - 1, root, 0, 1, false, bytes});
}

void bcast_split_binary(std::uint32_t ranks, std::uint32_t root, std::uint64_t count, std::uint64_t element,
                        const Sink& sink) {
  if (ranks < 2) return;
  const auto halves = Blocks::parts(count, element, 2);
  std::uint32_t round = 0;
  // Odd relative ranks are below the root's first child, even ones below its second.
  for (const Edge& e : edges_of(Tree::binary, ranks)) {
    const std::uint32_t half = e.child % 2 == 1 ? 0 : 1;
    round = e.round + 1;
    sink({e.round, (e.parent + root) % ranks, (e.child + root) % ranks, half, 1, false, halves.bytes(half, 1)});
  }
  for (std::uint32_t v = 1; v + 1 < ranks; v += 2) {
    sink({round, (v + root) % ranks, (v + 1 + root) % ranks, 0, 1, false, halves.bytes(0, 1)});
    sink({round, (v + 1 + root) % ranks, (v + root) % ranks, 1, 1, false, halves.bytes(1, 1)});
  }
  if (ranks % 2 == 0) sink({round, root, (ranks - 1 + root) % ranks, 1, 1, false, halves.bytes(1, 1)});
}

namespace {

/// The schedule of `inner` over ranks relative to the root.
Sink relative(std::uint32_t ranks, std::uint32_t root, const Sink& sink) {
  return [=, &sink](Message m) {
    m.from = (m.from + root) % ranks;
    m.to = (m.to + root) % ranks;
    sink(m);
  };
}

/// The root scatters parts of the buffer, then all gather them.
template <class Allgather>
void bcast_by_parts(std::uint32_t ranks, std::uint32_t root, const Blocks& parts, const Sink& sink,
                    Allgather allgather) {
  if (ranks < 2) return;
  const auto inner = relative(ranks, root, sink);
  scatter(Tree::binomial_low, 0, parts, inner);
  allgather(parts, inner, rounds(Tree::binomial_low, ranks));
}

}  // namespace

void bcast_scatter_doubling(std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink,
                            std::uint64_t element) {
  bcast_by_parts(ranks, root, Blocks::ceilings(bytes, ranks, element), sink, allgather_doubling);
}

void bcast_scatter_ring(std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink) {
  bcast_by_parts(ranks, root, Blocks::ceilings(bytes, ranks), sink, allgather_ring);
}

void gather(Tree tree, std::uint32_t root, const Blocks& blocks, const Sink& sink, std::uint32_t first_round) {
  const auto ranks = blocks.size();
  for (const Edge& e : edges_up(tree, ranks)) {
    const auto n = subtree(tree, e.child, ranks), first = (e.child + root) % ranks;
    if (const auto bytes = blocks.bytes(first, n))
      sink({first_round + e.round, first, (e.parent + root) % ranks, first, n, false, bytes});
  }
}

void gather_synchronised(std::uint32_t root, const Blocks& blocks, const Sink& sink) {
  const auto ranks = blocks.size();
  std::uint32_t round = 0;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (r == root) continue;
    sink({round, root, r, 0, 0, false, 0});
    sink({round + 1, r, root, r, 1, false, blocks.bytes(r, 1)});
    sink({round + 2, r, root, 0, 0, false, 0});
    round += 3;
  }
}

void scatter(Tree tree, std::uint32_t root, const Blocks& blocks, const Sink& sink, std::uint32_t first_round) {
  const auto ranks = blocks.size();
  for (const Edge& e : edges_of(tree, ranks)) {
    const auto n = subtree(tree, e.child, ranks), first = (e.child + root) % ranks;
    if (const auto bytes = blocks.bytes(first, n))
      sink({first_round + e.round, (e.parent + root) % ranks, first, first, n, false, bytes});
  }
}

void barrier_linear(std::uint32_t ranks, const Sink& sink) {
  reduce(Tree::linear, ranks, 0, 0, sink);
  bcast(Tree::linear, ranks, 0, 0, sink, 1);
}

void barrier_tree(std::uint32_t ranks, const Sink& sink) {
  reduce(Tree::binomial_low, ranks, 0, 0, sink);
  bcast(Tree::binomial_low, ranks, 0, 0, sink, rounds(Tree::binomial_low, ranks));
}

Blocks Blocks::uniform(std::uint32_t n, std::uint64_t bytes) {
  Blocks b;
  b.ends_.resize(n + 1);
  for (std::uint32_t i = 0; i <= n; ++i) b.ends_[i] = i * bytes;
  return b;
}

Blocks Blocks::of(const std::vector<std::uint64_t>& bytes) {
  Blocks b;
  b.ends_.reserve(bytes.size() + 1);
  for (const auto n : bytes) b.ends_.push_back(b.ends_.back() + n);
  return b;
}

Blocks Blocks::parts(std::uint64_t count, std::uint64_t element, std::uint32_t n) {
  Blocks b;
  for (std::uint32_t i = 0; i < n; ++i)
    b.ends_.push_back(b.ends_.back() + (count / n + (i < count % n ? 1 : 0)) * element);
  return b;
}

Blocks Blocks::ceilings(std::uint64_t bytes, std::uint32_t n, std::uint64_t element) {
  Blocks b;
  const auto part = (bytes / element + n - 1) / n * element;
  for (std::uint32_t i = 0; i < n; ++i) b.ends_.push_back(std::min(bytes, b.ends_.back() + part));
  return b;
}

std::uint64_t Blocks::bytes(std::uint32_t first, std::uint32_t n) const {
  const auto all = size();
  if (n == 0 || all == 0) return 0;
  if (n >= all) return total();
  first %= all;
  const std::uint64_t end = std::uint64_t{first} + n;
  if (end <= all) return ends_[end] - ends_[first];
  return total() - ends_[first] + ends_[end - all];
}

}  // namespace mora::mpi::schedule
