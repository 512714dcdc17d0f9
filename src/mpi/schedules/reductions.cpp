/// Reductions in parts (Thakur 2005). The power-of-two algorithms work on p' = 2^⌊lg P⌋ ranks; before them the P - p'
/// others are folded in, after them they get the result. Recursive halving leaves each of the p' with one reduced
/// block; the same exchanges in the opposite order are an allgather (all get the result) or a gather (one does).
#include "mpi/schedules/schedule.h"

#include <algorithm>
#include <bit>

namespace mora::mpi::schedule {
namespace {

/// The first 2r ranks (r = P - p') are pairs; one of each pair stays.
struct Folding {
  std::uint32_t ranks, power, extra;
  bool even_stays;
  std::uint32_t special = 0xffffffff;  ///< pair whose other rank stays

  Folding(std::uint32_t all, bool even)
      : ranks(all), power(all == 0 ? 0 : std::bit_floor(all)), extra(all - power), even_stays(even) {}
  /// Rank of participant v < p'.
  std::uint32_t rank(std::uint32_t v) const {
    if (v >= extra) return v + extra;
    return 2 * v + (even_stays != (v == special) ? 0 : 1);
  }
  std::uint32_t other(std::uint32_t v) const { return rank(v) ^ 1; }
  /// So that `root` is a participant; returns which.
  std::uint32_t keep(std::uint32_t root) {
    if (root >= 2 * extra) return root - extra;
    if ((root % 2 == 0) != even_stays) special = root / 2;
    return root / 2;
  }
};

/// Folds whole buffers (`n` blocks) in round `round`; returns the next one.
std::uint32_t fold_whole(const Folding& f, std::uint32_t n, std::uint64_t bytes, const Sink& sink,
                         std::uint32_t round) {
  for (std::uint32_t v = 0; v < f.extra; ++v) sink({round, f.other(v), f.rank(v), 0, n, true, bytes});
  return f.extra > 0 ? round + 1 : round;
}

/// Both ranks of a pair reduce one half; the half of the one that leaves goes to the one that stays.
std::uint32_t fold_halves(const Folding& f, std::uint64_t count, std::uint64_t element, const Sink& sink) {
  if (f.extra == 0) return 0;
  const auto halves = Blocks::of({count / 2 * element, (count - count / 2) * element});
  for (std::uint32_t v = 0; v < f.extra; ++v) {
    sink({0, f.rank(v), f.other(v), 1, 1, true, halves.bytes(1, 1)});
    sink({0, f.other(v), f.rank(v), 0, 1, true, halves.bytes(0, 1)});
  }
  for (std::uint32_t v = 0; v < f.extra; ++v) sink({1, f.other(v), f.rank(v), 1, 1, false, halves.bytes(1, 1)});
  return 2;
}

/// Window of blocks of participant v after the exchanges with the masks before `step` (0 = all); distances double,
/// windows halve.
struct Window {
  std::uint32_t first = 0, n = 0;
};
Window window_of(std::uint32_t v, std::uint32_t power, std::uint32_t step) {
  Window w{0, power};
  for (std::uint32_t k = 0; k < step; ++k) {
    w.n /= 2;
    if ((v >> k & 1) != 0) w.first += w.n;
  }
  return w;
}

std::uint32_t log_of(std::uint32_t power) { return static_cast<std::uint32_t>(std::bit_width(power)) - 1; }

/// The parts of the buffer: with halves, windows are halved again and again, the odd element goes to the second half.
Blocks parts_of(Fold fold, std::uint64_t count, std::uint64_t element, std::uint32_t n) {
  if (fold == Fold::whole) return Blocks::parts(count, element, n);
  std::vector<std::uint64_t> counts{count};
  while (counts.size() < n) {
    std::vector<std::uint64_t> halves;
    for (const std::uint64_t whole : counts) halves.insert(halves.end(), {whole / 2, whole - whole / 2});
    counts = std::move(halves);
  }
  for (std::uint64_t& bytes : counts) bytes *= element;
  return Blocks::of(counts);
}

/// Recursive halving with doubling distance: participant v ends with the block that has v's bits in the opposite order.
std::uint32_t halve(const Folding& f, const Blocks& blocks, const Sink& sink, std::uint32_t round) {
  for (std::uint32_t k = 0; k < log_of(f.power); ++k, ++round)
    for (std::uint32_t v = 0; v < f.power; ++v) {
      const auto partner = v ^ (1u << k);
      const auto theirs = window_of(partner, f.power, k + 1);
      sink({round, f.rank(v), f.rank(partner), theirs.first, theirs.n, true, blocks.bytes(theirs.first, theirs.n)});
    }
  return round;
}

std::uint32_t double_back(const Folding& f, const Blocks& blocks, const Sink& sink, std::uint32_t round) {
  for (std::uint32_t k = log_of(f.power); k-- > 0; ++round)
    for (std::uint32_t v = 0; v < f.power; ++v) {
      const auto mine = window_of(v, f.power, k + 1);
      sink({round, f.rank(v), f.rank(v ^ (1u << k)), mine.first, mine.n, false, blocks.bytes(mine.first, mine.n)});
    }
  return round;
}

/// Blocks of the participants' blocks: participant v's is its own rank's block and that of the rank folded into it.
Blocks paired(const Folding& f, const Blocks& blocks) {
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t v = 0; v < f.power; ++v)
    sizes.push_back(v < f.extra ? blocks.bytes(2 * v, 2) : blocks.bytes(v + f.extra, 1));
  return Blocks::of(sizes);
}

/// Range of ranks' blocks of a range of participants' blocks.
Window unpaired(const Folding& f, Window w) {
  const auto begin = [&](std::uint32_t v) { return v < f.extra ? 2 * v : v + f.extra; };
  return {begin(w.first), begin(w.first + w.n) - begin(w.first)};
}

}  // namespace

void allreduce_linear(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink) {
  allreduce_trees(Tree::linear, Tree::linear, ranks, bytes, sink);
}

void allreduce_trees(Tree up, Tree down, std::uint32_t ranks, std::uint64_t bytes, const Sink& sink) {
  reduce(up, ranks, 0, bytes, sink);
  bcast(down, ranks, 0, bytes, sink, rounds(up, ranks));
}

void allreduce_doubling(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink) {
  const Folding f(ranks, false);
  auto round = fold_whole(f, 1, bytes, sink, 0);
  for (std::uint32_t mask = 1; mask < f.power; mask *= 2, ++round)
    for (std::uint32_t v = 0; v < f.power; ++v) sink({round, f.rank(v), f.rank(v ^ mask), 0, 1, true, bytes});
  for (std::uint32_t v = 0; v < f.extra; ++v) sink({round, f.rank(v), f.other(v), 0, 1, false, bytes});
}

void allreduce_ring(const Blocks& parts, const Sink& sink) {
  const auto ranks = parts.size();
  if (ranks < 2) return;
  for (std::uint32_t round = 0; round + 1 < ranks; ++round)
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto block = (r + ranks - round) % ranks;
      sink({round, r, (r + 1) % ranks, block, 1, true, parts.bytes(block, 1)});
    }
  // Block b is complete at rank b - 1.
  for (std::uint32_t round = 0; round + 1 < ranks; ++round)
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto block = (r + 1 + ranks - round) % ranks;
      sink({ranks - 1 + round, r, (r + 1) % ranks, block, 1, false, parts.bytes(block, 1)});
    }
}

void allreduce_rabenseifner(Fold fold, std::uint32_t ranks, std::uint64_t count, std::uint64_t element,
                            const Sink& sink) {
  if (ranks < 2) return;
  const Folding f(ranks, fold == Fold::halves);
  const auto blocks = parts_of(fold, count, element, f.power);
  auto round =
      fold == Fold::halves ? fold_halves(f, count, element, sink) : fold_whole(f, f.power, blocks.total(), sink, 0);
  round = double_back(f, blocks, sink, halve(f, blocks, sink, round));
  for (std::uint32_t v = 0; v < f.extra; ++v) sink({round, f.rank(v), f.other(v), 0, f.power, false, blocks.total()});
}

void reduce_rabenseifner(Fold fold, std::uint32_t ranks, std::uint32_t root, std::uint64_t count, std::uint64_t element,
                         const Sink& sink) {
  if (ranks < 2) return;
  Folding f(ranks, fold == Fold::halves);
  const auto to = f.keep(root);
  const auto blocks = parts_of(fold, count, element, f.power);
  auto round =
      fold == Fold::halves ? fold_halves(f, count, element, sink) : fold_whole(f, f.power, blocks.total(), sink, 0);
  round = halve(f, blocks, sink, round);
  for (std::uint32_t k = log_of(f.power); k-- > 0; ++round)
    for (std::uint32_t v = 0; v < f.power; ++v) {
      // Those that still hold something agree with the root in all bits above k; of a pair the one that differs in bit
      // k gives its window away.
      if ((v >> (k + 1)) != (to >> (k + 1)) || ((v ^ to) >> k & 1) == 0) continue;
      const auto mine = window_of(v, f.power, k + 1);
      sink({round, f.rank(v), f.rank(v ^ (1u << k)), mine.first, mine.n, false, blocks.bytes(mine.first, mine.n)});
    }
}

void reduce_scatter_pairwise(const Blocks& blocks, const Sink& sink) {
  const auto ranks = blocks.size();
  for (std::uint32_t step = 1; step < ranks; ++step)
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto to = (r + step) % ranks;
      if (blocks.bytes(to, 1) > 0) sink({step - 1, r, to, to, 1, true, blocks.bytes(to, 1)});
    }
}

void reduce_scatter_ring(const Blocks& blocks, const Sink& sink) {
  const auto ranks = blocks.size();
  for (std::uint32_t round = 0; round + 1 < ranks; ++round)
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto block = (r + 2 * ranks - 1 - round) % ranks;
      sink({round, r, (r + 1) % ranks, block, 1, true, blocks.bytes(block, 1)});
    }
}

void reduce_scatter_halving(const Blocks& blocks, const Sink& sink) {
  const auto ranks = blocks.size();
  if (ranks < 2) return;
  const Folding f(ranks, false);
  const auto pairs = paired(f, blocks);
  auto round = fold_whole(f, ranks, blocks.total(), sink, 0);
  for (std::uint32_t mask = f.power / 2; mask > 0; mask /= 2, ++round)
    for (std::uint32_t v = 0; v < f.power; ++v) {
      const auto partner = v ^ mask;
      const Window theirs{partner / mask * mask, mask};
      const auto range = unpaired(f, theirs);
      if (const auto bytes = pairs.bytes(theirs.first, theirs.n); bytes > 0)
        sink({round, f.rank(v), f.rank(partner), range.first, range.n, true, bytes});
    }
  for (std::uint32_t v = 0; v < f.extra; ++v)
    if (blocks.bytes(f.other(v), 1) > 0)
      sink({round, f.rank(v), f.other(v), f.other(v), 1, false, blocks.bytes(f.other(v), 1)});
}

void reduce_scatter_butterfly(const Blocks& blocks, const Sink& sink) {
  const auto ranks = blocks.size();
  if (ranks < 2) return;
  const Folding f(ranks, false);
  const auto pairs = paired(f, blocks);
  auto round = fold_whole(f, ranks, blocks.total(), sink, 0);
  round = halve(
      f, pairs,
      [&](Message m) {
        const auto range = unpaired(f, {m.first_block, m.blocks});
        m.first_block = range.first;
        m.blocks = range.n;
        sink(m);
      },
      round);
  // Each holds the block of the participant with its bits in the opposite order, and sends it there.
  for (std::uint32_t v = 0; v < f.power; ++v) {
    const auto held = window_of(v, f.power, log_of(f.power)).first;
    const auto range = unpaired(f, {held, 1});
    for (std::uint32_t block = range.first; block < range.first + range.n; ++block)
      if (block != f.rank(v)) sink({round, f.rank(v), block, block, 1, false, blocks.bytes(block, 1)});
  }
}

void reduce_scatter_butterfly_block(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink) {
  const auto blocks = Blocks::uniform(ranks, bytes);
  if (ranks < 2 || !std::has_single_bit(ranks)) return reduce_scatter_butterfly(blocks, sink);
  halve(Folding(ranks, false), blocks, sink, 0);
}

void reduce_scatter_doubling(const Blocks& blocks, const Sink& sink) {
  const auto ranks = blocks.size();
  // Round k: everything but what the own group of 2^k ranks will keep; what the receiver's group keeps is complete for
  // both groups after it. Where the group opposite is not full, ranks that had a partner there pass what they got on to
  // those that had none, at distances that halve.
  std::uint32_t round = 0;
  for (std::uint32_t width = 1; width < ranks; width *= 2, ++round) {
    const auto group_of = [width](std::uint32_t r) { return r / width * width; };
    const auto send = [&](std::uint32_t from, std::uint32_t to, std::uint32_t but) {
      const std::uint32_t end = std::min(but + width, ranks), n = ranks - (end - but);
      sink({round, from, to, end % ranks, n, true, blocks.bytes(end, n)});
    };
    for (std::uint32_t r = 0; r < ranks; ++r)
      if ((r ^ width) < ranks) send(r, r ^ width, group_of(r));
    for (std::uint32_t distance = width / 2; distance > 0; distance /= 2) {
      bool is_new = true;
      for (std::uint32_t r = 0; r < ranks; ++r) {
        const std::uint32_t opposite = group_of(r ^ width), part = r / (2 * distance) * (2 * distance);
        if (opposite + width <= ranks || group_of(r) + width > ranks) continue;
        const std::uint32_t end = part + (ranks - group_of(r) - width);  // of those that got something
        if ((r & distance) != 0 || r >= end || r + distance < end || opposite >= ranks) continue;
        if (is_new) ++round;
        is_new = false;
        send(r, r + distance, opposite);
      }
    }
  }
}

}  // namespace mora::mpi::schedule
