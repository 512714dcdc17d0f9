/// Collective operations as messages: one pure function per algorithm. The matrix adds the messages up; a replay sends
/// them in their rounds.
///
/// Guaranteed of every schedule: messages of a round depend on messages of earlier rounds only; the sink gets them with
/// rounds that never decrease; the messages of one rank come in the order in which it sends them. Ranks are ranks of
/// the communicator, 0 … P-1. Nothing is sent to oneself, and pieces without bytes are sent only where the algorithm
/// does not ask (rings, recursive doubling, butterflies, barriers). Buffers are not segmented.
///
/// A buffer is cut into blocks; a message carries the cyclic range of `blocks` blocks from `first_block`. `combine`:
/// the receiver adds them to its own (reductions), else it takes them instead of its own. Sources: Thakur 2005; Bruck
/// 1997; Open MPI 4.1 (ompi/mca/coll/base); MPICH 4.0 (src/mpi/coll). Cost of each: one call
/// of the sink for each message. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace mora::mpi::schedule {

struct Message {
  std::uint32_t round = 0;
  std::uint32_t from = 0, to = 0;
  std::uint32_t first_block = 0, blocks = 1;
  bool combine = false;
  std::uint64_t bytes = 0;
};
using Sink = std::function<void(const Message&)>;

/// Sizes of the blocks of a buffer.
class Blocks {
 public:
  static Blocks uniform(std::uint32_t n, std::uint64_t bytes);
  static Blocks of(const std::vector<std::uint64_t>& bytes);
  /// `count` elements of `element` bytes in n parts, as equal as can be, the larger ones first (Open MPI; MPICH's
  /// reductions differ by one element).
  static Blocks parts(std::uint64_t count, std::uint64_t element, std::uint32_t n);
  /// n parts of ceil(bytes / n), of whole elements; the last ones smaller or empty (broadcasts by scatter).
  static Blocks ceilings(std::uint64_t bytes, std::uint32_t n, std::uint64_t element = 1);
  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()) - 1; }
  /// Of `n` blocks from `first`, cyclic; first may be beyond the end.
  std::uint64_t bytes(std::uint32_t first, std::uint32_t n) const;
  std::uint64_t total() const { return ends_.back(); }

 private:
  std::vector<std::uint64_t> ends_{0};  ///< prefix sums
};

/// Shapes of trees, over ranks relative to the root.
enum class Tree : std::uint8_t {
  linear,         ///< all ranks are children of the root
  chain,          ///< 0 → 1 → 2 …
  binary,         ///< Open MPI's: levels of 2^l, children one and two level widths on
  binomial_low,   ///< parent: lowest bit taken away (MPICH; gather, scatter and reduce of Open MPI)
  binomial_high,  ///< parent: highest bit taken away (Open MPI's bcast)
  knomial4,       ///< radix 4
};
/// Rounds a tree takes.
std::uint32_t rounds(Tree tree, std::uint32_t ranks);

// One buffer of `bytes` (one block) from the root to all, or from all to the root.
void bcast(Tree tree, std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink,
           std::uint32_t first_round = 0);
void reduce(Tree tree, std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink,
            std::uint32_t first_round = 0);
/// Binary tree that keeps the order of operands; its root is P-1, which passes the result on.
void reduce_in_order_binary(std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink);
/// Two halves (blocks 0 and 1) down the two subtrees of a binary tree, then exchanged in pairs.
void bcast_split_binary(std::uint32_t ranks, std::uint32_t root, std::uint64_t count, std::uint64_t element,
                        const Sink& sink);
/// Binomial scatter of P parts (numbered from the root), then allgather by recursive doubling or ring. Open MPI's parts
/// are whole elements, MPICH's are not.
void bcast_scatter_doubling(std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink,
                            std::uint64_t element = 1);
void bcast_scatter_ring(std::uint32_t ranks, std::uint32_t root, std::uint64_t bytes, const Sink& sink);

// Block r belongs to rank r; linear or binomial (binomial_low) trees.
void gather(Tree tree, std::uint32_t root, const Blocks& blocks, const Sink& sink, std::uint32_t first_round = 0);
/// The root asks each rank in turn, with a message without bytes, for the second of two pieces of its block (Open MPI
/// sends the whole block as the first one, and nothing as the second).
void gather_synchronised(std::uint32_t root, const Blocks& blocks, const Sink& sink);
void scatter(Tree tree, std::uint32_t root, const Blocks& blocks, const Sink& sink, std::uint32_t first_round = 0);

/// Allgathers: each rank's block to all ranks. Linear: P(P-1) messages; ring: P-1 rounds to the next rank.
void allgather_linear(const Blocks& blocks, const Sink& sink);
void allgather_ring(const Blocks& blocks, const Sink& sink, std::uint32_t first_round = 0);
/// Any P: where partners are missing, those that have the data pass them on (extra rounds).
void allgather_doubling(const Blocks& blocks, const Sink& sink, std::uint32_t first_round = 0);
/// Bruck: ⌈lg P⌉ rounds, any P.
void allgather_bruck(const Blocks& blocks, const Sink& sink);
void allgather_neighbor_exchange(const Blocks& blocks, const Sink& sink);  ///< odd P: ring

/// `bytes` from each to each; in Bruck's algorithm `blocks` counts pieces and first_block has no meaning.
void alltoall_linear(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink);
void alltoall_pairwise(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink);
void alltoall_bruck(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink);

// Reductions of one buffer: all ranks get the result.
void allreduce_linear(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink);
void allreduce_trees(Tree up, Tree down, std::uint32_t ranks, std::uint64_t bytes, const Sink& sink);
void allreduce_doubling(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink);
/// Blocks: P parts.
void allreduce_ring(const Blocks& parts, const Sink& sink);
/// How Rabenseifner's algorithms get from P to a power of two: one of a pair gives its whole buffer away (MPICH), or
/// the pair halves the work (Open MPI).
enum class Fold : std::uint8_t { whole, halves };
/// `count` elements in p' parts. With halves, P not a power of two: blocks are halves (0, 1) in the first two rounds
/// and the last one is whole.
void allreduce_rabenseifner(Fold fold, std::uint32_t ranks, std::uint64_t count, std::uint64_t element,
                            const Sink& sink);
void reduce_rabenseifner(Fold fold, std::uint32_t ranks, std::uint32_t root, std::uint64_t count, std::uint64_t element,
                         const Sink& sink);

// Block r of the result goes to rank r.
void reduce_scatter_pairwise(const Blocks& blocks, const Sink& sink);
void reduce_scatter_ring(const Blocks& blocks, const Sink& sink);
/// Recursive halving, ranks beyond a power of two folded in first; butterfly: the same with reversed order of blocks.
void reduce_scatter_halving(const Blocks& blocks, const Sink& sink);
void reduce_scatter_butterfly(const Blocks& blocks, const Sink& sink);
/// P = 2^k, equal blocks: they stand in the buffer in the order of their numbers' bits reversed, so that the
/// butterfly's last exchange is not needed; first_block and blocks count in that order. Else the butterfly.
void reduce_scatter_butterfly_block(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink);
/// Where P is not a power of two, some messages pass on what was received just before, not what the rank holds.
void reduce_scatter_doubling(const Blocks& blocks, const Sink& sink);

/// Barriers: messages without bytes. Dissemination: round k to the rank 2^k further on.
void barrier_linear(std::uint32_t ranks, const Sink& sink);
void barrier_doubling(std::uint32_t ranks, const Sink& sink);
void barrier_dissemination(std::uint32_t ranks, const Sink& sink);
void barrier_tree(std::uint32_t ranks, const Sink& sink);

/// Each rank passes its prefix to the next one. Exscan is the same.
void scan_chain(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink);
/// Recursive doubling: in round k each rank sends its partial result to the rank 2^k above.
void scan_doubling(std::uint32_t ranks, std::uint64_t bytes, const Sink& sink);

}  // namespace mora::mpi::schedule
