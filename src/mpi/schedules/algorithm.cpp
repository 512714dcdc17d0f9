/// The two models that need no tables: messages straight from owner to receiver, and one textbook algorithm for each
/// operation whatever the size (Thakur 2005).
#include "mpi/schedules/algorithm.h"

#include <bit>
#include <cstdlib>
#include <cstring>

namespace mora::mpi::schedule {
namespace {

Algorithm gather_of(Tree tree, const char* name, const CollectiveCase& c) {
  return {name, [c, tree](const Sink& s) { gather(tree, c.root, blocks_of(c), s); }};
}

Algorithm scatter_of(Tree tree, const char* name, const CollectiveCase& c) {
  return {name, [c, tree](const Sink& s) { scatter(tree, c.root, blocks_of(c), s); }};
}

bool moves_nothing(const CollectiveCase& c) {
  if (c.ranks < 2) return true;
  if (c.collective == Collective::barrier) return false;
  return c.blocks.empty() ? c.bytes() == 0 : Blocks::of(c.blocks).total() == 0;
}

}  // namespace

Blocks blocks_of(const CollectiveCase& c) {
  return c.blocks.empty() ? Blocks::uniform(c.ranks, c.bytes()) : Blocks::of(c.blocks);
}

Algorithm linear_algorithm(const CollectiveCase& c) {
  switch (c.collective) {
    case Collective::bcast:
      return {"linear", [c](const Sink& s) { bcast(Tree::linear, c.ranks, c.root, c.bytes(), s); }};
    case Collective::reduce:
      return {"linear", [c](const Sink& s) { reduce(Tree::linear, c.ranks, c.root, c.bytes(), s); }};
    case Collective::gather:
    case Collective::gatherv:
      return gather_of(Tree::linear, "linear", c);
    case Collective::scatter:
    case Collective::scatterv:
      return scatter_of(Tree::linear, "linear", c);
    case Collective::allgather:
    case Collective::allgatherv:
      return {"linear", [c](const Sink& s) { allgather_linear(blocks_of(c), s); }};
    case Collective::alltoall:
      return {"linear", [c](const Sink& s) { alltoall_linear(c.ranks, c.bytes(), s); }};
    case Collective::allreduce:
      return {"linear", [c](const Sink& s) { allreduce_linear(c.ranks, c.bytes(), s); }};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return {"pairwise", [c](const Sink& s) { reduce_scatter_pairwise(blocks_of(c), s); }};
    case Collective::scan:
    case Collective::exscan:
      return {"chain", [c](const Sink& s) { scan_chain(c.ranks, c.bytes(), s); }};
    default:
      return {"none", {}};  // a barrier has no block
  }
}

Algorithm textbook_algorithm(const CollectiveCase& c) {
  switch (c.collective) {
    case Collective::barrier:
      return {"dissemination", [c](const Sink& s) { barrier_dissemination(c.ranks, s); }};
    case Collective::bcast:
      return {"binomial", [c](const Sink& s) { bcast(Tree::binomial_low, c.ranks, c.root, c.bytes(), s); }};
    case Collective::reduce:
      return {"binomial", [c](const Sink& s) { reduce(Tree::binomial_low, c.ranks, c.root, c.bytes(), s); }};
    case Collective::gather:
      return gather_of(Tree::binomial_low, "binomial", c);
    case Collective::scatter:
      return scatter_of(Tree::binomial_low, "binomial", c);
    case Collective::allgather:
    case Collective::allgatherv:
      return {"ring", [c](const Sink& s) { allgather_ring(blocks_of(c), s); }};
    case Collective::alltoall:
      return {"pairwise", [c](const Sink& s) { alltoall_pairwise(c.ranks, c.bytes(), s); }};
    case Collective::allreduce:
      return {"recursive doubling", [c](const Sink& s) { allreduce_doubling(c.ranks, c.bytes(), s); }};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return {"recursive halving", [c](const Sink& s) { reduce_scatter_halving(blocks_of(c), s); }};
    case Collective::scan:
    case Collective::exscan:
      return {"recursive doubling", [c](const Sink& s) { scan_doubling(c.ranks, c.bytes(), s); }};
    default:
      return linear_algorithm(c);  // gatherv and scatterv: ranks do not know each other's counts, so no tree
  }
}

Algorithm choose_algorithm(CollectiveModel model, const CollectiveCase& c) {
  if (moves_nothing(c)) return {"none", {}};
  switch (model) {
    case CollectiveModel::linear:
      return linear_algorithm(c);
    case CollectiveModel::algorithms:
      return textbook_algorithm(c);
    case CollectiveModel::openmpi:
      return openmpi_algorithm(c);
    case CollectiveModel::mpich:
      return mpich_algorithm(c);
    case CollectiveModel::none:
    case CollectiveModel::payload:
      break;
  }
  return {"none", {}};
}

unsigned decide(const char* table, std::uint32_t ranks, std::uint64_t bytes) {
  const auto number = [](const char*& at) {
    char* end = nullptr;
    const auto n = std::strtoull(at, &end, 10);
    at = end;
    return n;
  };
  for (const char* at = table; *at != '\0';) {
    while (*at == ' ' || *at == '|') ++at;
    bool fits = true;
    if (*at == 'P') {
      const char relation = at[1];
      at += relation == '>' ? 3 : 2;
      const auto limit = number(at);
      fits = relation == '<' ? ranks < limit : relation == '>' ? ranks >= limit : ranks == limit;
      ++at;  // the colon
    } else {
      at += std::strlen("else ");
    }
    if (!fits) {
      while (*at != '\0' && *at != '|') ++at;
      continue;
    }
    for (;;) {
      while (*at == ' ') ++at;
      if (*at == '\0' || *at == '|') return 0;
      bool here = true;
      if (*at == '<') {
        ++at;
        here = bytes < number(at);
        ++at;  // =
      } else if (*at == '*') {
        at += 2;
      }
      const auto algorithm = number(at);
      if (here) return static_cast<unsigned>(algorithm);
    }
  }
  return 0;
}

}  // namespace mora::mpi::schedule
