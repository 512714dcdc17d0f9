/// A job whose calls a test writes down by hand, and what a check found as one line.
#pragma once

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "predict/pattern/check/check.h"

namespace mora::predict {

inline constexpr std::uint32_t mpi_int = 0, mpi_double = 1;

/// A job written down by hand: calls go to builders, finish() makes the trace.
class Job {
 public:
  explicit Job(std::uint32_t world, Origin origin = Origin::record) {
    auto& d = trace.definitions;
    d.world_size = world;
    d.origin = origin;
    d.datatypes = {{"MPI_INT", 4, 4, true, true, 1}, {"MPI_DOUBLE", 8, 8, true, true, 0}};
    Communicator all;
    all.name = "MPI_COMM_WORLD";
    all.members.resize(world);
    std::iota(all.members.begin(), all.members.end(), 0u);
    Communicator self;
    self.name = "MPI_COMM_SELF";
    d.communicators = {all, self};
    d.phases = {"solve", "io"};
  }

  RankTraceBuilder& on(std::uint32_t rank) { return builders.try_emplace(rank, rank).first->second; }
  Job& add(std::uint32_t rank, const Call& call) {
    on(rank).add(call);
    return *this;
  }
  PatternTrace finish() {
    for (auto& [rank, builder] : builders) {
      trace.ranks.push_back(builder.finish());
      trace.ranks.back().complete = !stopped.contains(rank);
    }
    return std::move(trace);
  }

  PatternTrace trace;
  std::map<std::uint32_t, RankTraceBuilder> builders;
  std::map<std::uint32_t, bool> stopped;
};

inline Call send(std::int32_t to, std::int64_t count, std::int32_t tag = 0, Operation operation = Operation::send) {
  Call c;
  c.operation = operation;
  c.communicator = 0;
  c.peer = to;
  c.tag = tag;
  c.sent = {count, mpi_int};
  return c;
}

inline Call receive(std::int32_t from, std::int64_t count, std::int32_t tag = 0,
                    Operation operation = Operation::recv) {
  Call c;
  c.operation = operation;
  c.communicator = 0;
  c.peer = from;
  c.tag = tag;
  c.received = {count, mpi_int};
  if (operation == Operation::recv || operation == Operation::mrecv)
    c.bytes_received = static_cast<std::uint64_t>(count) * 4;
  return c;
}

inline Call any_source(Call c) {
  c.posted_any_source = true;
  return c;
}
inline Call any_tag(Call c) {
  c.posted_any_tag = true;
  return c;
}

inline Call collective(Operation operation, std::int64_t count, std::int32_t root = peer_none) {
  Call c;
  c.operation = operation;
  c.communicator = 0;
  c.peer = root;
  c.sent = {count, mpi_int};
  return c;
}

inline Call phase(bool begin, std::uint32_t index) {
  Call c;
  c.operation = begin ? Operation::phase_begin : Operation::phase_end;
  c.argument = index;
  return c;
}

inline Call wait(RankTraceBuilder& rank, std::vector<Completion> list, Operation operation = Operation::waitall) {
  Call c;
  c.operation = operation;
  c.completions = rank.completions(std::move(list));
  return c;
}

inline std::string kinds(const std::vector<Disagreement>& found) {
  std::string all;
  for (const auto& d : found)
    all += (all.empty() ? "" : " ") + d.kind + "@" + (d.rank == no_id ? std::string("-") : std::to_string(d.rank)) +
           ":" + std::to_string(d.call);
  return all;
}

}  // namespace mora::predict
