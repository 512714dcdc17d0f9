/// Writes a synthetic OTF2 archive: a halo exchange on a ring of ranks with a reduction every tenth step, the calls a
/// stencil code makes. Usage: synthetic_archive DIRECTORY RANKS EVENTS
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "archive/archive_writer.h"

using namespace mora;

namespace {

constexpr std::uint32_t send_site = 0, receive_site = 1, irecv_site = 2, isend_site = 3, waitall_site = 4,
                        reduce_site = 5, barrier_site = 6, init_site = 7, finalize_site = 8;

archive::Definitions definitions(std::uint32_t ranks, std::uint64_t last) {
  archive::Definitions d;
  d.first_stamp = 0;
  d.last_stamp = last;
  d.nodes = {"node0"};
  d.processes.resize(ranks);
  const char* names[] = {"MPI_Send",      "MPI_Recv",    "MPI_Irecv", "MPI_Isend",   "MPI_Waitall",
                         "MPI_Allreduce", "MPI_Barrier", "MPI_Init",  "MPI_Finalize"};
  std::uint32_t line = 10;
  for (const char* name : names) d.regions.push_back({name, "stencil.c", line += 3, ""});
  d.groups.emplace_back();
  for (std::uint32_t r = 0; r < ranks; ++r) d.groups[0].push_back(r);
  d.communicators = {{"MPI_COMM_WORLD", 0, archive::no_id, archive::no_id}};
  return d;
}

/// Pseudo-random computation, the same for everybody who asks with the same numbers.
std::uint64_t computing(std::uint64_t rank, std::uint64_t step) {
  std::uint64_t x = rank * 0x9E3779B97F4A7C15ULL + step * 0xBF58476D1CE4E5B9ULL;
  x ^= x >> 31;
  return 2000 + x % 3000;
}

/// One step is 17 events and, every tenth time, 4 more: Irecv, Isend, Waitall with both, Send, Recv, Allreduce.
std::uint64_t write_rank(archive::LocationWriter& w, std::uint32_t rank, std::uint32_t ranks, std::uint64_t events) {
  const std::uint32_t left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  std::uint64_t t = 0, written = 6;
  w.program_begin(t);
  w.enter(t, init_site);
  w.leave(t += 1000, init_site);
  std::uint64_t request = 0;
  for (std::uint64_t step = 0; written + 21 < events; ++step) {
    t += computing(rank, step);
    w.enter(t, irecv_site);
    w.receive_request(t, ++request);
    w.leave(t += 200, irecv_site);
    w.enter(t, isend_site);
    w.send_request(t, right, 0, 1, 8000, ++request);
    w.leave(t += 300, isend_site);
    t += computing(rank, step + 1) / 2;
    w.enter(t, waitall_site);
    t += 1500;
    w.receive_complete(t, left, 0, 1, 8000, request - 1);
    w.send_complete(t, request);
    w.leave(t, waitall_site);
    w.enter(t += 50, send_site);
    w.send(t, right, 0, 2, 64);
    w.leave(t += 400, send_site);
    w.enter(t += 50, receive_site);
    t += 700;
    w.receive(t, left, 0, 2, 64);
    w.leave(t, receive_site);
    written += 16;
    if (step % 10 == 0) {
      // everybody leaves when the slowest can have come
      w.enter(t, reduce_site);
      w.collective_begin(t);
      t = (step + 1) * 12000 + 5000 > t ? (step + 1) * 12000 + 5000 : t + 100;
      w.collective_end(t, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, OTF2_UNDEFINED_UINT32, 8, 8, {});
      w.leave(t, reduce_site);
      written += 4;
    }
  }
  w.enter(t, finalize_site);
  w.leave(t += 1000, finalize_site);
  w.program_end(t, 0);
  return t;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: synthetic_archive DIRECTORY RANKS EVENTS\n");
    return 2;
  }
  const auto ranks = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  const std::uint64_t events = std::strtoull(argv[3], nullptr, 10);
  std::filesystem::create_directories(argv[1]);
  auto archive = archive::ArchiveWriter::create(argv[1], {"stencil", "synthetic", "synthetic_archive"});
  if (!archive) {
    std::fprintf(stderr, "%s\n", archive.error().text().c_str());
    return 3;
  }
  std::uint64_t last = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    auto writer = (*archive)->open_location(rank);
    if (!writer) return 3;
    last = std::max(last, write_rank(*writer, rank, ranks, events / ranks));
    if (!(*archive)->close_location(*writer, {})) return 3;
  }
  return (*archive)->close(definitions(ranks, last)) ? 0 : 3;
}
