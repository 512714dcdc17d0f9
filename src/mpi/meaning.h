/// What collective operations and calls on windows do. Source: MPI-3.1, chapters 5, 7 and 11. Pure functions,
/// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mora::mpi {

/// A collective operation, in whichever form it is called. Numbers stand in indices of traces.
enum class Collective : std::uint8_t {
  none,
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  allreduce,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  create_handle,
  destroy_handle,
  allocate,
  deallocate,
  init,
  finalize,
  other,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
};
inline constexpr std::size_t collective_count = static_cast<std::size_t>(Collective::neighbor_alltoallw) + 1;

/// The enumerator's name, "reduce_scatter"; static storage.
const char* to_string(Collective collective);

/// How the wait-state patterns group collectives (Scalasca 2.6, performance properties: Wait at Barrier, Late
/// Broadcast, Early Reduce, Wait at NxN, Early Scan). Management of communicators and windows is `none`.
enum class CollectiveShape : std::uint8_t {
  none,
  barrier,
  one_to_all,
  all_to_one,
  all_to_all,
  prefix,
  neighborhood  ///< along the edges of a topology
};
CollectiveShape shape(Collective collective);
/// A rank of the communicator sends to, or gets from, all others.
inline bool is_rooted(Collective collective) {
  return shape(collective) == CollectiveShape::one_to_all || shape(collective) == CollectiveShape::all_to_one;
}
inline bool is_neighborhood(Collective collective) { return shape(collective) == CollectiveShape::neighborhood; }
/// Each member exchanges data with partners of its own, and says how much with each: neighbourhoods, alltoallv,
/// alltoallw.
inline bool has_partners(Collective collective) {
  return is_neighborhood(collective) || collective == Collective::alltoallv || collective == Collective::alltoallw;
}

/// What a call on a window does.
enum class RmaOperation : std::uint8_t {
  none,
  win_create,
  win_free,
  fence,
  post,
  start,
  complete,
  wait,
  test,
  put,
  get,
  accumulate,
  get_accumulate,
  fetch_and_op,
  compare_and_swap,
  flush,
  flush_local,
  lock,
  unlock,
};

/// The predefined reduction of an accumulate. The numbers stand in archives (docs/formats/otf2.md, `mora:reduction`).
enum class Reduction : std::uint8_t {
  unknown,  ///< not recorded, or there is none
  max,
  min,
  sum,
  prod,
  land,
  band,
  lor,
  bor,
  lxor,
  bxor,
  maxloc,
  minloc,
  replace,
  no_op,
};
/// "MPI_SUM"; "" for unknown.
const char* to_string(Reduction reduction);
/// unknown if it is no predefined reduction's name.
Reduction reduction_named(std::string_view name);
inline constexpr std::size_t reduction_count = static_cast<std::size_t>(Reduction::no_op) + 1;

}  // namespace mora::mpi
