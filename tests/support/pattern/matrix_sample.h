/// Hand-made pattern traces for the tests of matrices and features: a job whose ranks are written call by call.
#pragma once

#include "predict/pattern/trace.h"

// Calls are written with the fields that matter; the others keep their defaults.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace mora::predict {

class SampleJob {
 public:
  explicit SampleJob(std::uint32_t ranks) {
    Definitions& d = trace.definitions;
    d.world_size = ranks;
    d.program = "sample";
    d.datatypes = {
        {"MPI_BYTE", 1, 1, true, true, 6}, {"MPI_DOUBLE", 8, 8, true, true, 1}, {"column", 80, 800, false, false, 101}};
    Communicator world{.name = "MPI_COMM_WORLD"}, self{.name = "MPI_COMM_SELF"};
    for (std::uint32_t r = 0; r < ranks; ++r) world.members.push_back(r);
    d.communicators = {world, self};
    for (std::uint32_t r = 0; r < ranks; ++r) builders_.emplace_back(r);
  }
  std::uint32_t communicator(std::string name, std::vector<std::uint32_t> members,
                             std::vector<std::uint32_t> remote = {}) {
    Communicator c{.name = std::move(name), .made_by = Operation::comm_split, .parent = 0};
    c.members = std::move(members);
    c.remote = std::move(remote);
    trace.definitions.communicators.push_back(c);
    return static_cast<std::uint32_t>(trace.definitions.communicators.size() - 1);
  }
  std::uint32_t phase(const std::string& name) {
    auto& names = trace.definitions.phases;
    for (std::uint32_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return i;
    names.push_back(name);
    return static_cast<std::uint32_t>(names.size() - 1);
  }
  RankTraceBuilder& rank(std::uint32_t r) { return builders_[r]; }
  void begin(std::uint32_t r, const std::string& name) {
    rank(r).add({.operation = Operation::phase_begin, .argument = phase(name)});
  }
  void end(std::uint32_t r, const std::string& name) {
    rank(r).add({.operation = Operation::phase_end, .argument = phase(name)});
  }
  void send(std::uint32_t r, std::int32_t to, std::int64_t bytes, std::uint32_t comm = 0,
            Operation operation = Operation::send) {
    rank(r).add({.operation = operation, .communicator = comm, .peer = to, .tag = 0, .sent = {bytes, 0}});
  }
  void receive(std::uint32_t r, std::int32_t from, std::uint64_t bytes, std::uint32_t comm = 0) {
    rank(r).add({.operation = Operation::recv,
                 .communicator = comm,
                 .peer = from,
                 .tag = 0,
                 .received = {static_cast<std::int64_t>(bytes), 0},
                 .bytes_received = bytes});
  }
  void irecv(std::uint32_t r, std::int32_t from, std::uint64_t bytes, std::uint32_t comm = 0) {
    rank(r).add({.operation = Operation::irecv,
                 .communicator = comm,
                 .peer = from,
                 .tag = 0,
                 .received = {static_cast<std::int64_t>(bytes), 0}});
  }
  void waitall(std::uint32_t r, std::vector<Completion> list) {
    const auto index = rank(r).completions(std::move(list));
    rank(r).add({.operation = Operation::waitall, .completions = index});
  }
  /// A collective call whose buffers are doubles: `count` in `sent`, and in `received` unless -1.
  void collective(std::uint32_t r, Operation operation, std::int64_t count, std::int32_t root = peer_none,
                  std::uint32_t comm = 0) {
    rank(r).add(
        {.operation = operation, .communicator = comm, .peer = root, .sent = {count, 1}, .received = {count, 1}});
  }
  PatternTrace finish() {
    for (auto& b : builders_) trace.ranks.push_back(b.finish());
    return std::move(trace);
  }
  PatternTrace trace;

 private:
  std::vector<RankTraceBuilder> builders_;
};

}  // namespace mora::predict
