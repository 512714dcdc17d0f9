#include "shapes.h"

#include <algorithm>

namespace bench {

namespace {

constexpr std::uint64_t period = 12000;  ///< ns a step takes where everybody meets in it

template <class Inside>
void within(Rank& r, Site site, std::uint64_t before, std::uint64_t after, Inside inside) {
  r.out.enter(r.time, site);
  r.time += before;
  inside();
  r.time += after;
  r.out.leave(r.time, site);
  r.written += 2;
  r.time += 50;
}

/// Where all have come by the end of the step.
void meet(Rank& r, std::uint64_t step) { r.time = std::max(r.time + 100, (step + 1) * period + 5000); }

void reduce(Rank& r, std::uint64_t step) {
  within(r, allreduce, 0, 0, [&] {
    r.out.collective_begin(r.time);
    meet(r, step);
    r.out.collective_end(r.time, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_UNDEFINED_UINT32, 8, 8, {});
    r.written += 2;
  });
}

/// A mark: a message to oneself (trace/intervals/).
void mark(Rank& r, std::uint32_t id, bool begins) {
  const std::uint32_t tag = 0x0A000000u | id << 8 | (begins ? 0xAA : 0xBB);
  within(r, sendrecv, 0, 0, [&] {
    r.out.send(r.time, r.rank, 0, tag, 0);
    r.time += 100;
    r.out.receive(r.time, r.rank, 0, tag, 0);
  });
  r.written += 2;
}

void stencil(Rank& r, std::uint64_t step);

/// The stencil, marked: an interval of ten steps, in it one for each step, with ten different ids.
void intervals(Rank& r, std::uint64_t step) {
  if (step % 10 == 0) mark(r, 1, true);
  mark(r, 2 + static_cast<std::uint32_t>(step % 10), true);
  stencil(r, step);
  mark(r, 2 + static_cast<std::uint32_t>(step % 10), false);
  if (step % 10 == 9) mark(r, 1, false);
}

/// A halo exchange on a ring, a reduction every tenth step.
void stencil(Rank& r, std::uint64_t step) {
  const std::uint32_t left = (r.rank + r.ranks - 1) % r.ranks, right = (r.rank + 1) % r.ranks;
  r.compute(step);
  const std::uint64_t in = ++r.request, out = ++r.request;
  within(r, irecv, 0, 200, [&] { r.out.receive_request(r.time, in); });
  within(r, isend, 0, 300, [&] { r.out.send_request(r.time, right, 0, 1, 8000, out); });
  r.compute(step + 1);
  within(r, waitall, 1500, 0, [&] {
    r.out.receive_complete(r.time, left, 0, 1, 8000, in);
    r.out.send_complete(r.time, out);
  });
  within(r, send, 0, 400, [&] { r.out.send(r.time, right, 0, 2, 64); });
  within(r, receive, 700, 0, [&] { r.out.receive(r.time, left, 0, 2, 64); });
  r.written += 6;
  if (step % 10 == 0) reduce(r, step);
}

/// Step s joins ranks whose numbers differ by s (bitwise): two ranks meet once in `ranks` steps, so that their last
/// common synchronisation lies as far back as it can. The worst case for intervals between synchronisations.
void pairs(Rank& r, std::uint64_t step) {
  std::uint32_t size = 2;
  while (size < r.ranks) size *= 2;
  const std::uint32_t partner = r.rank ^ static_cast<std::uint32_t>(1 + step % (size - 1));
  r.compute(step);
  if (partner >= r.ranks) return;
  const bool first = r.rank < partner;
  const auto sends = [&] { within(r, send, 0, 400, [&] { r.out.send(r.time, partner, 0, 3, 512); }); };
  const auto receives = [&] {
    within(r, receive, 0, 100, [&] {
      r.time = std::max(r.time, step * period + 6000);
      r.out.receive(r.time, partner, 0, 3, 512);
    });
  };
  first ? sends() : receives();
  first ? receives() : sends();
  r.written += 2;
  r.time = std::max(r.time, (step + 1) * period);
}

/// Rank 0 answers all others, one after the other.
void master(Rank& r, std::uint64_t step) {
  const std::uint64_t turn = 1500;
  const std::uint64_t round = step * turn * r.ranks;
  const auto answer = [&](std::uint32_t worker) {
    within(r, receive, 300, 50, [&] { r.out.receive(r.time, worker, 0, 4, 128); });
    within(r, send, 0, 200, [&] { r.out.send(r.time, worker, 0, 5, 4096); });
    r.written += 2;
  };
  if (r.rank == 0) {
    for (std::uint32_t worker = 1; worker < r.ranks; ++worker) {
      r.time = std::max(r.time, round + worker * turn);
      answer(worker);
    }
    return;
  }
  r.compute(step);
  within(r, send, 0, 100, [&] { r.out.send(r.time, 0, 0, 4, 128); });
  within(r, receive, 0, 100, [&] {
    r.time = std::max(r.time, round + r.rank * turn + 900);
    r.out.receive(r.time, 0, 0, 5, 4096);
  });
  r.written += 2;
}

void put_right(Rank& r, std::uint32_t target, std::uint64_t id) {
  within(r, put, 0, 150, [&] { r.out.put(r.time, 0, target, 1024, id, {}); });
  ++r.written;
}

/// Put to the right neighbour between fences.
void fences(Rank& r, std::uint64_t step) {
  r.compute(step);
  const std::uint64_t id = ++r.request;
  put_right(r, (r.rank + 1) % r.ranks, id);
  within(r, fence, 0, 0, [&] {
    r.out.rma_collective_begin(r.time);
    meet(r, step);
    r.out.rma_complete(r.time, 0, id, false);
    r.out.rma_collective_end(r.time, OTF2_COLLECTIVE_OP_BARRIER,
                             static_cast<OTF2_RmaSyncLevel>(OTF2_RMA_SYNC_LEVEL_MEMORY | OTF2_RMA_SYNC_LEVEL_PROCESS),
                             0, {});
    r.written += 3;
  });
}

/// Post to the left, access to the right. Group 1 + r is rank r alone.
void general_synchronisation(Rank& r, std::uint64_t step) {
  const std::uint32_t left = (r.rank + r.ranks - 1) % r.ranks, right = (r.rank + 1) % r.ranks;
  const auto memory = static_cast<OTF2_RmaSyncLevel>(OTF2_RMA_SYNC_LEVEL_MEMORY | OTF2_RMA_SYNC_LEVEL_PROCESS);
  r.compute(step);
  within(r, post, 200, 0, [&] { r.out.group_sync(r.time, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 1 + left, {}); });
  within(r, start, 0, 0, [&] {
    r.time = std::max(r.time, step * period + 6000);
    r.out.group_sync(r.time, OTF2_RMA_SYNC_LEVEL_PROCESS, 0, 1 + right, {});
  });
  const std::uint64_t id = ++r.request;
  put_right(r, right, id);
  within(r, complete, 300, 0, [&] {
    r.out.rma_complete(r.time, 0, id, false);
    r.out.group_sync(r.time, memory, 0, 1 + right, {});
  });
  within(r, wait, 0, 0, [&] {
    r.time = std::max(r.time, (step + 1) * period);
    r.out.group_sync(r.time, memory, 0, 1 + left, {});
  });
  r.written += 5;
}

/// All lock rank step mod ranks, in turns, exclusively.
void locks(Rank& r, std::uint64_t step) {
  const auto target = static_cast<std::uint32_t>(step % r.ranks);
  const std::uint64_t turn = 1200;
  r.compute(step);
  within(r, lock, 100, 0, [&] { r.out.lock_request(r.time, 0, target, true, {}); });
  const std::uint64_t id = ++r.request;
  put_right(r, target, id);
  within(r, unlock, 0, 0, [&] {
    r.time = std::max(r.time + 100, (step * r.ranks + r.rank + 1) * turn);
    r.out.rma_complete(r.time, 0, id, true);
    r.out.lock_release(r.time, 0, target);
  });
  r.written += 3;
}

/// A reduction behind computation.
void non_blocking(Rank& r, std::uint64_t step) {
  const std::uint64_t request = ++r.request;
  r.compute(step);
  within(r, iallreduce, 0, 200, [&] { r.out.collective_request(r.time, request); });
  r.compute(step + 1);
  within(r, wait_one, 0, 0, [&] {
    meet(r, step);
    r.out.collective_complete(r.time, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_UNDEFINED_UINT32, 8, 8, request, {});
  });
  r.written += 2;
}

template <std::uint64_t events_a_step>
std::uint64_t even(std::uint64_t events, std::uint32_t ranks) {
  return events / ranks / events_a_step;
}

}  // namespace

const std::vector<const char*>& names() {
  static const std::vector<const char*> all = {
      "MPI_Send",      "MPI_Recv",         "MPI_Irecv",    "MPI_Isend",     "MPI_Waitall",    "MPI_Allreduce",
      "MPI_Barrier",   "MPI_Init",         "MPI_Finalize", "MPI_Win_fence", "MPI_Put",        "MPI_Win_post",
      "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait", "MPI_Win_lock",  "MPI_Win_unlock", "MPI_Iallreduce",
      "MPI_Wait",      "MPI_Win_create",   "MPI_Sendrecv"};
  return all;
}

void Rank::compute(std::uint64_t step) {
  std::uint64_t x = rank * 0x9E3779B97F4A7C15ULL + step * 0xBF58476D1CE4E5B9ULL;
  x ^= x >> 31;
  time += 1000 + x % 3000;
}

void Rank::call(Site site, std::uint64_t duration) {
  within(*this, site, 0, duration, [] {});
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"stencil", "halo exchange on a ring, a reduction every tenth step", even<16>, stencil, false},
      {"intervals", "the stencil with marks around each step and each ten steps",
       [](std::uint64_t events, std::uint32_t ranks) { return events / ranks / 25 / 10 * 10; }, intervals, false},
      {"pairs", "every two ranks meet once in as many steps as there are ranks", even<6>, pairs, false},
      {"master", "rank 0 answers all others",
       [](std::uint64_t events, std::uint32_t ranks) { return events / ranks / 12; }, master, false},
      {"fence", "puts between fences", even<8>, fences, true},
      {"pscw", "post, start, put, complete, wait on a ring", even<16>, general_synchronisation, true},
      {"lock", "all lock the same rank, another in each step", even<9>, locks, true},
      {"nonblocking", "Iallreduce behind computation", even<6>, non_blocking, false},
  };
  return all;
}

}  // namespace bench
