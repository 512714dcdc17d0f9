/// Traffic matrices: messages and bytes from rank to rank and from node to node, per phase, from a pattern trace.
///
/// Point-to-point traffic is exact: sends count, receives are compared with them (conservation). Collectives are broken
/// down into messages by a named algorithm; model `payload` is the convention of Kotomatas 2018, 4.3.3 instead: payload
/// x P, which belongs to no pair of ranks (PhaseTraffic::payload_volume; rule `load-column`, docs/rules.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "mpi/schedules/algorithm.h"
#include "predict/pattern/trace.h"
#include "predict/placement/placement.h"

namespace mora::predict {

struct Traffic {
  std::uint64_t messages = 0, bytes = 0;
  Traffic& operator+=(const Traffic& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
  bool operator==(const Traffic&) const = default;
};

struct TrafficCell {
  std::uint32_t from = 0, to = 0;  ///< world ranks, or numbers of nodes
  Traffic traffic;
  bool operator==(const TrafficCell&) const = default;
};

/// Sparse: only cells with messages, each once, (from, to) ascending. Square of `size`.
struct TrafficMatrix {
  std::uint32_t size = 0;
  std::vector<TrafficCell> cells;
  Traffic total() const;  ///< of all cells
  /// Of a cell; zeros where there is none. O(log cells).
  Traffic at(std::uint32_t from, std::uint32_t to) const;
  bool operator==(const TrafficMatrix&) const = default;
};

using mpi::schedule::CollectiveModel;

struct MatrixOptions {
  CollectiveModel collectives = CollectiveModel::linear;
  bool one_sided = true;  ///< puts, gets and accumulates are traffic, too
  /// Cells a matrix may have; more is an error (24 bytes each, in each of up to six matrices).
  std::uint64_t most_cells = 40'000'000;
};

/// "linear", "algorithms", …; "seed", the former name of "payload", too. Error (usage) with the names otherwise.
Result<CollectiveModel> parse_collective_model(const std::string& name);
const char* to_string(CollectiveModel model);
/// That of the library the trace was recorded with; linear if the trace does not say which, or it is another.
CollectiveModel recorded_model(const Definitions& definitions);

/// The collective calls of one kind: which algorithm, how many messages.
struct DecomposedCollective {
  std::string operation, algorithm, communicator;  ///< MPI name; docs/formats/pattern-matrix.md; name
  std::uint32_t ranks = 0;
  std::uint64_t calls = 0;  ///< of the communicator, not of its ranks
  Traffic traffic;
  bool operator==(const DecomposedCollective&) const = default;
};

/// Calls of a collective operation, counted per communicator.
struct CollectiveUse {
  std::uint64_t calls = 0;
  std::uint64_t payload = 0;  ///< bytes: sum over calls of what one process has for one message (of vector calls: the
                              ///< median; edges: all of the first rank)
  std::uint64_t ranks = 0;    ///< sum over calls of the communicator's size
  CollectiveUse& operator+=(const CollectiveUse& other) {
    calls += other.calls;
    payload += other.payload;
    ranks += other.ranks;
    return *this;
  }
  bool operator==(const CollectiveUse&) const = default;
};

struct PhaseTraffic {
  std::string name;          ///< "global" for what is in no phase; nested phases as "outer/inner"
  std::uint64_t visits = 0;  ///< of rank 0 (all ranks must agree: see quality)
  TrafficMatrix ranks;       ///< of everything below
  TrafficMatrix point_to_point, collective, one_sided;
  std::uint64_t payload_volume = 0;                     ///< payload x P of all collectives, in bytes
  std::map<std::uint64_t, std::uint64_t> sizes;         ///< histogram: message size in bytes → messages
  std::map<std::string, std::uint64_t> calls;           ///< by MPI name
  std::map<std::string, CollectiveUse> collective_use;  ///< by MPI name of the blocking form
};

struct PatternMatrix {
  std::uint32_t world_size = 0;
  std::vector<PhaseTraffic> phases;  ///< in order of first entry; "global" first
  PhaseTraffic total;
  std::vector<DecomposedCollective> collectives;  ///< sorted
  DataQuality
      quality;  ///< unequal sends and receives, calls that cannot be broken down, vectors known by statistics only
};

/// Errors (usage): more cells than allowed.
Result<PatternMatrix> make_matrix(const PatternTrace& trace, const MatrixOptions& options);

/// Per node: what stays inside, leaves, arrives.
struct NodeTraffic {
  std::string node;
  std::uint32_t ranks = 0;
  Traffic intra, out, in;
};
struct NodeMatrix {
  TrafficMatrix nodes;  ///< indices of placement.nodes
  std::vector<NodeTraffic> per_node;
};
/// What stays inside a node is on the diagonal. Ranks that the placement lacks are left out.
NodeMatrix by_node(const TrafficMatrix& ranks, const Placement& placement);

}  // namespace mora::predict
