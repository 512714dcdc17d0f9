/// Which algorithm a collective operation runs with, and its messages (docs/formats/pattern-matrix.md lists them).
#pragma once

#include <functional>
#include <string>

#include "mpi/meaning.h"
#include "mpi/schedules/schedule.h"

namespace mora::mpi::schedule {

/// How collectives become messages. `linear`: every block goes straight from its owner to the ranks that need it (roots
/// exchange messages with all; the volume that any algorithm moves at least, by end points); `algorithms`: the textbook
/// algorithm of each operation (docs/formats/pattern-matrix.md names them: binomial trees, recursive doubling, ring,
/// pairwise; Thakur 2005); `openmpi`, `mpich`: what the decision tables of Open MPI 4.1 and MPICH 4.0 choose; `none`:
/// point-to-point and one-sided only; `payload`: payload x P.
enum class CollectiveModel : std::uint8_t { linear, algorithms, openmpi, mpich, none, payload };

/// One collective call of one communicator, as its members agree on it. Thread-safe.
struct CollectiveCase {
  Collective collective = Collective::barrier;
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;
  /// Bcast, reductions, scans: the buffer. Gather, Scatter, Allgather, Alltoall, Reduce_scatter_block: what one rank
  /// has for one other.
  std::uint64_t count = 0, element = 1;
  std::vector<std::uint64_t> blocks;  ///< Allgatherv, Reduce_scatter, Gatherv, Scatterv: bytes of each rank's block
  bool in_place = false;              ///< Alltoall with MPI_IN_PLACE: libraries exchange in pairs, whatever the size
  std::uint64_t bytes() const { return count * element; }
};

struct Algorithm {
  std::string name;  ///< "binomial", "recursive doubling", …; "none": nothing moves
  std::function<void(const Sink&)> run;
};

/// The algorithm of a model. Operations without blocks of the same size for all (Alltoallv, neighbourhoods) are not
/// asked for: each of their messages is known from its own rank. Models without messages (none, payload) give "none".
Algorithm choose_algorithm(CollectiveModel model, const CollectiveCase& c);

/// The blocks of the case: `blocks`, or `ranks` times bytes().
Blocks blocks_of(const CollectiveCase& c);

// The models, for operations that move something between at least two ranks.
Algorithm linear_algorithm(const CollectiveCase& c);
Algorithm textbook_algorithm(const CollectiveCase& c);
Algorithm openmpi_algorithm(
    const CollectiveCase& c);  ///< Open MPI 4.1, coll/tuned's fixed rules, commutative operations
Algorithm mpich_algorithm(
    const CollectiveCase& c);  ///< MPICH 4.0, the generic (not node-aware) rules, commutative operations

/// The algorithm that a decision table gives for `ranks` and `bytes`; 0: no entry fits. Notation: rows by number of
/// ranks, separated by '|', the first that fits; in a row entries by bytes, the first that fits: "P<4:<8=4 *=6 | P=2:1
/// | else <2=3 *=1" is, for fewer than 4 ranks, algorithm 4 below 8 bytes and else 6; for 2 ranks 1; else 3 below 2
/// bytes, or 1.
unsigned decide(const char* table, std::uint32_t ranks, std::uint64_t bytes);

}  // namespace mora::mpi::schedule
