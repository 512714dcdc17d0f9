/// Exchanges: all ranks send and receive in every round. Allgathers pass blocks on, all-to-alls send each piece to its
/// owner, barriers and scans combine what the ranks before have sent. Sources: Thakur 2005; Bruck 1997; Open MPI 4.1
/// and MPICH 4.0 for neighbour exchange and incomplete groups.
#include "mpi/schedules/schedule.h"

#include <algorithm>
#include <bit>

namespace mora::mpi::schedule {
void allgather_linear(const Blocks& blocks, const Sink& sink) {
  const auto ranks = blocks.size();
  for (std::uint32_t from = 0; from < ranks; ++from)
    for (std::uint32_t to = 0; to < ranks; ++to)
      if (from != to && blocks.bytes(from, 1) > 0) sink({0, from, to, from, 1, false, blocks.bytes(from, 1)});
}

void allgather_ring(const Blocks& blocks, const Sink& sink, std::uint32_t first_round) {
  const auto ranks = blocks.size();
  for (std::uint32_t round = 0; round + 1 < ranks; ++round)
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto block = (r + ranks - round) % ranks;
      sink({first_round + round, r, (r + 1) % ranks, block, 1, false, blocks.bytes(block, 1)});
    }
}

void allgather_doubling(const Blocks& blocks, const Sink& sink, std::uint32_t first_round) {
  const auto ranks = blocks.size();
  std::uint32_t round = first_round;
  for (std::uint32_t width = 1; width < ranks; width *= 2, ++round) {
    // Groups of `width` ranks that hold each other's blocks become pairs of groups.
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto partner = r ^ width;
      if (partner >= ranks) continue;
      const auto group = r / width * width;
      const auto n = std::min(width, ranks - group);
      sink({round, r, partner, group, n, false, blocks.bytes(group, n)});
    }
    // The last pair of groups may be incomplete: those of the lower group without a partner get the upper group's
    // blocks from those with one.
    const auto lower = (ranks - 1) / (2 * width) * (2 * width), upper = lower + width;
    if (upper >= ranks || ranks - upper >= width) continue;
    const auto have = ranks - upper;
    for (std::uint32_t step = width / 2; step > 0; step /= 2) {
      bool any = false;
      for (std::uint32_t v = 0; v < width; ++v) {
        const auto base = v / (2 * step) * (2 * step), to = v ^ step;
        if (to > v && v < base + have && to >= base + have) {
          sink({round + 1, lower + v, lower + to, upper, have, false, blocks.bytes(upper, have)});
          any = true;
        }
      }
      if (any) ++round;
    }
  }
}

void allgather_bruck(const Blocks& blocks, const Sink& sink) {
  const auto ranks = blocks.size();
  std::uint32_t round = 0;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2, ++round) {
    const auto n = std::min(distance, ranks - distance);
    for (std::uint32_t r = 0; r < ranks; ++r)
      sink({round, r, (r + ranks - distance) % ranks, r, n, false, blocks.bytes(r, n)});
  }
}

void allgather_neighbor_exchange(const Blocks& blocks, const Sink& sink) {
  const auto ranks = blocks.size();
  if (ranks % 2 == 1) return allgather_ring(blocks, sink);
  // Round 0: pairs (0,1), (2,3) … exchange their own blocks. Then pairs alternate between the two neighbours, passing
  // on the two blocks that came last.
  std::vector<std::uint32_t> last(ranks), next(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    sink({0, r, r ^ 1, r, 1, false, blocks.bytes(r, 1)});
    last[r] = r / 2 * 2;
  }
  for (std::uint32_t round = 1; round < ranks / 2; ++round) {
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const bool even = r % 2 == 0;
      const auto partner = (round % 2 == 1) == even ? (r + ranks - 1) % ranks : (r + 1) % ranks;
      sink({round, r, partner, last[r], 2, false, blocks.bytes(last[r], 2)});
      next[partner] = last[r];
    }
    last = next;
  }
}

void alltoall_linear(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink) {
  for (std::uint32_t from = 0; from < ranks; ++from)
    for (std::uint32_t step = 1; step < ranks; ++step) {
      const auto to = (from + step) % ranks;
      sink({0, from, to, to, 1, false, bytes});
    }
}

void alltoall_pairwise(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink) {
  for (std::uint32_t step = 1; step < ranks; ++step)
    for (std::uint32_t from = 0; from < ranks; ++from) {
      const auto to = (from + step) % ranks;
      sink({step - 1, from, to, to, 1, false, bytes});
    }
}

void alltoall_bruck(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink) {
  std::uint32_t round = 0;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2, ++round) {
    // Pieces whose way (destination - source) has this bit travel `distance` in this round.
    std::uint32_t n = 0;
    for (std::uint32_t way = 1; way < ranks; ++way) n += (way & distance) != 0 ? 1 : 0;
    for (std::uint32_t r = 0; r < ranks; ++r) sink({round, r, (r + distance) % ranks, 0, n, false, n * bytes});
  }
}

void barrier_doubling(std::uint32_t ranks, const Sink& sink) {
  if (ranks < 2) return;
  const auto power = std::bit_floor(ranks);
  for (std::uint32_t r = power; r < ranks; ++r) sink({0, r, r - power, 0, 1, true, 0});
  std::uint32_t round = 1;
  for (std::uint32_t mask = 1; mask < power; mask *= 2, ++round)
    for (std::uint32_t r = 0; r < power; ++r) sink({round, r, r ^ mask, 0, 1, true, 0});
  for (std::uint32_t r = power; r < ranks; ++r) sink({round, r - power, r, 0, 1, false, 0});
}

void barrier_dissemination(std::uint32_t ranks, const Sink& sink) {
  for (std::uint32_t k = 0; 1u << k < ranks; ++k)
    for (std::uint32_t r = 0; r < ranks; ++r) sink({k, r, (r + (1u << k)) % ranks, 0, 1, true, 0});
}

void scan_chain(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink) {
  for (std::uint32_t r = 0; r + 1 < ranks; ++r) sink({r, r, r + 1, 0, 1, true, bytes});
}

void scan_doubling(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink) {
  std::uint32_t round = 0;
  for (std::uint32_t mask = 1; mask < ranks; mask *= 2, ++round)
    for (std::uint32_t r = 0; r < ranks; ++r)
      if ((r ^ mask) < ranks) sink({round, r, r ^ mask, 0, 1, true, bytes});
}

}  // namespace mora::mpi::schedule
