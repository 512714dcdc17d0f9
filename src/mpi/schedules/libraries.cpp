/// The algorithms that Open MPI 4.1 and MPICH 4.0 choose. The tables are facts read in their sources
/// (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of Open MPI 4.1.4; src/mpi/coll of MPICH 4.0.2), in the notation of
/// decide() (algorithm.h): by number of ranks, then by bytes, the first entry that fits. After the table Open
/// MPI's implementations decide once more by the number of *elements* or ranks; those rules stand with each algorithm
/// here. Limits: operations count as commutative; buffers are not segmented, as in Open MPI's fixed rules; non-blocking
/// forms are taken to run as the blocking ones do; MPICH's node-aware layer is not used. Rule `library-traffic`
/// (docs/rules.md).
#include <bit>

#include "mpi/schedules/algorithm.h"

namespace mora::mpi::schedule {
namespace {

constexpr const char* allreduce_table =
    "P<4:<8=4 <4096=3 <8192=4 <16384=3 <65536=4 <262144=5 *=6 | P<8:<16=4 <8192=3 *=6 | P<16:<8192=3 *=6"
    " | P<32:<64=5 <4096=3 *=6 | P<64:<128=5 *=6 | P<128:<262144=3 *=6 | P<256:<131072=2 <262144=3 *=6"
    " | P<512:<4096=2 *=6 | P<2048:<2048=2 <16384=3 *=6 | P<4096:<2048=2 <4096=5 <16384=3 *=6 | P>=4096:<2048=2 "
    "<16384=5 <32768=3 *=6";
constexpr const char* bcast_table =
    "P<4:<32=3 <256=5 <512=3 <1024=7 <32768=1 <131072=5 <262144=2 <524288=1 <1048576=6 *=5"
    " | P<8:<64=5 <128=6 <2048=5 <8192=6 <1048576=1 *=2 | P<16:<8=7 <64=5 <4096=7 <16384=5 <32768=6 *=1"
    " | P<32:<4096=7 <1048576=6 *=8 | P<64:<2048=6 *=7 | P<128:7 | P<256:<2=6 <16384=5 <32768=1 <65536=5 *=7"
    " | P<1024:<16384=7 <32768=4 *=7 | P<2048:<524288=7 *=8 | P<4096:<262144=7 *=8 | P>=4096:<8192=7 <16384=5 "
    "<262144=7 *=8";
constexpr const char* reduce_table =
    "P<4:<8=7 <16=4 <32=3 <262144=1 <524288=3 <1048576=2 *=3 | P<8:<4096=4 <65536=2 <262144=5 <524288=1 <1048576=5 *=1"
    " | P<16:<8192=4 *=5 | P<32:<4096=4 *=5 | P<256:5 | P<512:<8192=5 <16384=6 *=5 | P<2048:5"
    " | P<4096:<512=5 <1024=6 <8192=5 <16384=6 *=5 | P>=4096:<16=5 <32=6 <1024=5 <2048=6 <8192=5 <16384=6 *=5";
constexpr const char* alltoall_table =
    "P=2:<2=2 <4=5 <16=2 <64=5 <256=2 <4096=5 <32768=2 <262144=4 <1048576=5 *=2 | P<8:<8192=4 <16384=1 <65536=4 "
    "<524288=1 <1048576=2 *=1"
    " | P<16:<262144=4 *=1 | P<32:<4=4 <512=3 <8192=4 <32768=1 <262144=4 <524288=1 *=4 | P<64:<512=3 <524288=1 *=4"
    " | P<128:<1024=3 <2048=1 <4096=4 <262144=1 *=2 | P<256:<1024=3 <2048=4 <262144=1 *=2 | P<512:<1024=3 <8192=4 "
    "<32768=1 *=2"
    " | P<1024:<512=3 <8192=4 <16384=1 <131072=4 <262144=1 *=2 | P<2048:<512=3 <1024=4 <2048=1 <16384=4 <262144=1 *=4"
    " | P<4096:<1024=3 <4096=4 <8192=1 <131072=4 *=1 | P>=4096:<2048=3 <8192=4 <16384=1 <32768=4 <65536=1 *=4";
constexpr const char* allgather_table =
    "P=2:6 | P<32:3 | P<64:<1024=3 <65536=5 *=4 | P<128:<512=3 <65536=5 *=4 | P<256:<512=3 <131072=5 <524288=4 "
    "<1048576=5 *=4"
    " | P<512:<32=3 <128=2 <1024=3 <131072=5 <524288=4 <1048576=5 *=4 | P<1024:<64=3 <256=2 <2048=3 *=5"
    " | P<2048:<4=3 <8=2 <16=3 <32=2 <256=3 <512=2 <4096=3 *=5 | P<4096:<32=2 <128=3 <512=2 <4096=3 *=5 | else <2=3 "
    "<8=2 <16=3 <512=2 <4096=3 *=5";
constexpr const char* allgatherv_table =
    "P=2:<2048=3 <4096=5 <8192=3 *=5 | P<8:<256=1 <4096=4 <8192=3 <16384=4 <262144=2 *=4 | P<16:<1024=1 *=2 | "
    "P<32:<128=1 <262144=2 *=3"
    " | P<64:<256=1 <8192=2 *=3 | P<128:<256=1 <4096=2 *=3 | P<256:<1024=2 <65536=4 *=3 | P<512:<1024=2 *=3"
    " | P<1024:<512=2 <1024=1 <4096=2 <1048576=4 *=3 | else <4096=2 *=4";
constexpr const char* barrier_table = "P<4:3 | P<8:1 | P<64:3 | P<256:4 | P<512:6 | P<1024:4 | P<4096:6 | else 4";
constexpr const char* gather_table =
    "P<4:<2=3 <4=1 <32768=2 <65536=1 <131072=2 *=3 | P<8:<1024=2 <8192=1 <32768=2 <262144=1 *=3 | P<256:2 | "
    "P<512:<2048=2 <8192=1 *=2 | else 2";
constexpr const char* scatter_table =
    "P<4:<2=3 <131072=1 <262144=3 *=1 | P<8:<2048=2 <4096=1 <8192=2 <32768=1 <1048576=3 *=1"
    " | P<16:<16384=2 <1048576=3 *=1 | P<32:<16384=2 <32768=1 *=3 | P<64:<512=2 <8192=3 <16384=2 *=3 | else <512=2 *=3";
constexpr const char* reduce_scatter_table =
    "P<4:<65536=3 <131072=4 *=3 | P<8:<8=1 <262144=2 *=3 | P<32:<262144=2 *=3"
    " | P<64:<64=1 <2048=2 <524288=4 *=3 | P<128:<256=1 <512=2 <2048=4 <4096=2 *=4 | P<256:<256=1 <512=2 *=4 | "
    "P<512:<256=1 <1024=2 *=4"
    " | P<1024:<512=1 <2048=2 <8192=4 <16384=2 *=4 | P<2048:<512=1 <4096=2 <16384=4 <32768=2 *=4 | P<4096:<512=1 "
    "<4096=2 *=4 | else <1024=1 <8192=2 *=4";
constexpr const char* reduce_scatter_block_table =
    "P<4:<4=2 <8=4 <16=3 <128=4 <256=3 <4096=4 <8192=3 <131072=4 *=1"
    " | P<8:<8=3 <32=2 <256=4 <8192=3 <16384=4 <1048576=3 *=1 | P<16:<4=1 <32=3 <128=4 <524288=3 <4194304=1 *=4"
    " | P<32:<32=1 <524288=3 <2097152=1 <4194304=3 *=4 | else <4=3 <16=1 <65536=4 <262144=1 *=4";

Algorithm bcast_by(Tree tree, const char* name, const CollectiveCase& c) {
  return {name, [c, tree](const Sink& s) { bcast(tree, c.ranks, c.root, c.bytes(), s); }};
}

Algorithm reduce_by(Tree tree, const char* name, const CollectiveCase& c) {
  return {name, [c, tree](const Sink& s) { reduce(tree, c.ranks, c.root, c.bytes(), s); }};
}

Algorithm openmpi_bcast(const CollectiveCase& c) {
  switch (decide(bcast_table, c.ranks, c.bytes())) {
    case 2:
    case 3:
      return bcast_by(Tree::chain, "chain", c);
    case 4:
      if (c.count < 2) return bcast_by(Tree::chain, "chain", c);
      return {"split binary", [c](const Sink& s) { bcast_split_binary(c.ranks, c.root, c.count, c.element, s); }};
    case 5:
      return bcast_by(Tree::binary, "binary", c);
    case 6:
      return bcast_by(Tree::binomial_high, "binomial", c);
    case 7:
      return bcast_by(Tree::knomial4, "4-nomial", c);
    case 8:
      if (c.count < c.ranks) return bcast_by(Tree::linear, "linear", c);
      return {"scatter, recursive doubling",
              [c](const Sink& s) { bcast_scatter_doubling(c.ranks, c.root, c.bytes(), s, c.element); }};
    default:
      return bcast_by(Tree::linear, "linear", c);
  }
}

Algorithm openmpi_reduce(const CollectiveCase& c) {
  switch (decide(reduce_table, c.ranks, c.bytes())) {
    case 2:
    case 3:
      return reduce_by(Tree::chain, "chain", c);
    case 4:
      return reduce_by(Tree::binary, "binary", c);
    case 5:
      return reduce_by(Tree::binomial_low, "binomial", c);
    case 6:
      return {"in-order binary", [c](const Sink& s) { reduce_in_order_binary(c.ranks, c.root, c.bytes(), s); }};
    case 7:
      if (c.count < std::bit_floor(c.ranks)) return reduce_by(Tree::linear, "linear", c);
      return {"Rabenseifner",
              [c](const Sink& s) { reduce_rabenseifner(Fold::halves, c.ranks, c.root, c.count, c.element, s); }};
    default:
      return reduce_by(Tree::linear, "linear", c);
  }
}

/// One after the other; the second one's rounds follow the first one's.
Algorithm in_turn(std::string name, const Algorithm& first, const Algorithm& second) {
  return {std::move(name), [first, second](const Sink& s) {
            std::uint32_t after = 0;
            first.run([&](const Message& m) {
              after = m.round + 1;
              s(m);
            });
            second.run([&](Message m) {
              m.round += after;
              s(m);
            });
          }};
}

Algorithm doubling_allreduce(const CollectiveCase& c) {
  return {"recursive doubling", [c](const Sink& s) { allreduce_doubling(c.ranks, c.bytes(), s); }};
}

Algorithm openmpi_allreduce(const CollectiveCase& c) {
  switch (decide(allreduce_table, c.ranks, c.bytes())) {
    case 2: {
      CollectiveCase part = c;
      part.root = 0;
      const auto up = openmpi_reduce(part), down = openmpi_bcast(part);
      return in_turn(up.name + " reduce, " + down.name + " bcast", up, down);
    }
    case 3:
      return doubling_allreduce(c);
    case 4:
    case 5:
      if (c.count < c.ranks) return doubling_allreduce(c);
      return {"ring", [c](const Sink& s) { allreduce_ring(Blocks::parts(c.count, c.element, c.ranks), s); }};
    case 6:
      if (c.count < std::bit_floor(c.ranks)) break;
      return {"Rabenseifner",
              [c](const Sink& s) { allreduce_rabenseifner(Fold::halves, c.ranks, c.count, c.element, s); }};
    default:
      break;
  }
  return {"linear", [c](const Sink& s) { allreduce_linear(c.ranks, c.bytes(), s); }};
}

Algorithm allgather_by(unsigned algorithm, const CollectiveCase& c) {
  switch (algorithm) {
    case 2:
      return {"Bruck", [c](const Sink& s) { allgather_bruck(blocks_of(c), s); }};
    case 3:
      return {"recursive doubling", [c](const Sink& s) { allgather_doubling(blocks_of(c), s); }};
    case 5:
      if (c.ranks % 2 == 1) break;
      return {"neighbour exchange", [c](const Sink& s) { allgather_neighbor_exchange(blocks_of(c), s); }};
    case 6:
      return {"exchange", [c](const Sink& s) { allgather_ring(blocks_of(c), s); }};  // of two ranks, also of nothing
    default:
      break;
  }
  return {"ring", [c](const Sink& s) { allgather_ring(blocks_of(c), s); }};
}

Algorithm openmpi_allgather(const CollectiveCase& c) {
  if (c.collective == Collective::allgather) {
    const auto algorithm = decide(allgather_table, c.ranks, c.bytes());
    return allgather_by(algorithm == 3 && !std::has_single_bit(c.ranks) ? 2 : algorithm, c);
  }
  const auto total = Blocks::of(c.blocks).total();
  switch (decide(allgatherv_table, c.ranks, total / c.ranks)) {
    case 1: {
      CollectiveCase whole = c;
      whole.count = total, whole.element = 1, whole.root = 0;
      const auto collected = linear_algorithm([&] {
        CollectiveCase g = c;
        g.collective = Collective::gatherv, g.root = 0;
        return g;
      }());
      const auto down = openmpi_bcast(whole);
      return in_turn("linear gather, " + down.name + " bcast", collected, down);
    }
    case 2:
      return allgather_by(2, c);
    case 4:
      return allgather_by(5, c);
    case 5:
      return allgather_by(6, c);
    default:
      return allgather_by(4, c);
  }
}

Algorithm binomial_or_linear(bool binomial, const CollectiveCase& c) {
  return binomial ? textbook_algorithm(c) : linear_algorithm(c);
}

Algorithm openmpi_gather(const CollectiveCase& c) {
  const unsigned algorithm = decide(gather_table, c.ranks, c.bytes());
  if (algorithm == 3)
    return {"linear, synchronised", [c](const Sink& s) { gather_synchronised(c.root, blocks_of(c), s); }};
  return binomial_or_linear(algorithm == 2, c);
}

Algorithm openmpi_scatter(const CollectiveCase& c) {
  return binomial_or_linear(decide(scatter_table, c.ranks, c.bytes()) == 2, c);
}

Algorithm openmpi_reduce_scatter(const CollectiveCase& c) {
  const bool block = c.collective == Collective::reduce_scatter_block;
  const auto algorithm = block ? decide(reduce_scatter_block_table, c.ranks, c.bytes())
                               : decide(reduce_scatter_table, c.ranks, blocks_of(c).total());
  const auto halving = [&]() -> Algorithm {
    return {"recursive halving", [c](const Sink& s) { reduce_scatter_halving(blocks_of(c), s); }};
  };
  switch (algorithm) {
    case 1: {
      CollectiveCase whole = c;
      whole.count = blocks_of(c).total() / c.element, whole.root = 0;
      const auto up = openmpi_reduce(whole);
      if (block) {
        CollectiveCase part = c;
        part.collective = Collective::scatter, part.root = 0;
        const auto down = openmpi_scatter(part);
        return in_turn(up.name + " reduce, " + down.name + " scatter", up, down);
      }
      return in_turn(up.name + " reduce, linear scatter", up,
                     {"", [c](const Sink& s) { scatter(Tree::linear, 0, blocks_of(c), s); }});
    }
    case 2:
      if (!block) return halving();
      return {"recursive doubling", [c](const Sink& s) { reduce_scatter_doubling(blocks_of(c), s); }};
    case 3:
      if (block) return halving();
      return {"ring", [c](const Sink& s) { reduce_scatter_ring(blocks_of(c), s); }};
    default:
      if (block) return {"butterfly", [c](const Sink& s) { reduce_scatter_butterfly_block(c.ranks, c.bytes(), s); }};
      return {"butterfly", [c](const Sink& s) { reduce_scatter_butterfly(blocks_of(c), s); }};
  }
}

Algorithm openmpi_barrier(const CollectiveCase& c) {
  switch (decide(barrier_table, c.ranks, 0)) {
    case 1:
      return {"linear", [c](const Sink& s) { barrier_linear(c.ranks, s); }};
    case 4:
      return {"dissemination", [c](const Sink& s) { barrier_dissemination(c.ranks, s); }};
    case 6:
      return {"tree", [c](const Sink& s) { barrier_tree(c.ranks, s); }};
    default:
      return {"recursive doubling", [c](const Sink& s) { barrier_doubling(c.ranks, s); }};
  }
}

Algorithm alltoall_by(unsigned algorithm, const CollectiveCase& c) {
  if (algorithm == 2) return {"pairwise", [c](const Sink& s) { alltoall_pairwise(c.ranks, c.bytes(), s); }};
  if (algorithm == 3) return {"Bruck", [c](const Sink& s) { alltoall_bruck(c.ranks, c.bytes(), s); }};
  return {algorithm == 5 ? "exchange" : "linear", [c](const Sink& s) { alltoall_linear(c.ranks, c.bytes(), s); }};
}

}  // namespace

Algorithm openmpi_algorithm(const CollectiveCase& c) {
  switch (c.collective) {
    case Collective::barrier:
      return openmpi_barrier(c);
    case Collective::bcast:
      return openmpi_bcast(c);
    case Collective::reduce:
      return openmpi_reduce(c);
    case Collective::allreduce:
      return openmpi_allreduce(c);
    case Collective::gather:
      return openmpi_gather(c);
    case Collective::scatter:
      return openmpi_scatter(c);
    case Collective::allgather:
    case Collective::allgatherv:
      return openmpi_allgather(c);
    case Collective::alltoall:
      return alltoall_by(c.in_place ? 1 : decide(alltoall_table, c.ranks, c.bytes()), c);
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return openmpi_reduce_scatter(c);
    default:
      return linear_algorithm(c);  // scans are chains, gatherv and scatterv linear
  }
}

Algorithm mpich_algorithm(const CollectiveCase& c) {
  const bool power = std::has_single_bit(c.ranks);
  const auto lower = std::bit_floor(c.ranks);
  switch (c.collective) {
    case Collective::bcast:
      if (c.ranks < 8 || c.bytes() <= 12288) return bcast_by(Tree::binomial_low, "binomial", c);
      if (power && c.bytes() <= 524288)
        return {"scatter, recursive doubling",
                [c](const Sink& s) { bcast_scatter_doubling(c.ranks, c.root, c.bytes(), s); }};
      return {"scatter, ring", [c](const Sink& s) { bcast_scatter_ring(c.ranks, c.root, c.bytes(), s); }};
    case Collective::reduce:
      if (c.bytes() <= 2048 || c.count < lower) return reduce_by(Tree::binomial_low, "binomial", c);
      return {"Rabenseifner",
              [c](const Sink& s) { reduce_rabenseifner(Fold::whole, c.ranks, c.root, c.count, c.element, s); }};
    case Collective::allreduce:
      if (c.bytes() <= 8 || c.count < lower) return doubling_allreduce(c);
      return {"Rabenseifner",
              [c](const Sink& s) { allreduce_rabenseifner(Fold::whole, c.ranks, c.count, c.element, s); }};
    case Collective::allgather:
    case Collective::allgatherv: {
      const auto total = blocks_of(c).total();
      return allgather_by(power ? (total < 524288 ? 3 : 4) : (total < 81920 ? 2 : 4), c);
    }
    case Collective::alltoall: {
      const unsigned small = c.ranks < 8 ? 1 : c.bytes() <= 256 ? 3 : 1;
      return alltoall_by(c.in_place || c.bytes() > 32768 ? 2 : small, c);
    }
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      if (blocks_of(c).total() < 524288)
        return {"recursive halving", [c](const Sink& s) { reduce_scatter_halving(blocks_of(c), s); }};
      return {"pairwise", [c](const Sink& s) { reduce_scatter_pairwise(blocks_of(c), s); }};
    default:
      return textbook_algorithm(
          c);  // binomial gather and scatter, dissemination, recursive doubling of scans; linear gatherv, scatterv
  }
}

}  // namespace mora::mpi::schedule
