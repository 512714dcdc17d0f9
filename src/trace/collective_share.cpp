/// One formula per operation: which of the two counts says it, and how many shares are in it.
#include "trace/collective_share.h"

#include <algorithm>

namespace mora::trace {
namespace {

/// `all` is for `peers` shares, or for one less if the call was in place. Sizes of elements decide where both are whole
/// numbers: data come in multiples of four bytes nearly always.
CollectiveShare divided(std::uint64_t all, std::uint64_t peers) {
  CollectiveShare share;
  share.bytes = all;
  if (all == 0 || peers < 2) return share;
  const bool with = all % peers == 0, without = all % (peers - 1) == 0;
  const bool with_words = with && all / peers % 4 == 0, without_words = without && all / (peers - 1) % 4 == 0;
  share.is_doubtful = with_words && without_words && peers > 2;
  share.in_place = without && (!with || (without_words && !with_words));
  share.bytes = share.in_place ? all / (peers - 1) : all / peers;
  return share;
}

/// Of a gather: the root's own share shows whether it was in place.
CollectiveShare of_root(std::uint64_t own, std::uint64_t all, std::uint64_t peers, bool at_root) {
  CollectiveShare share;
  share.bytes = own;
  if (!at_root || own > 0) return share;
  share.in_place = all > 0;
  share.bytes = all / std::max<std::uint64_t>(1, peers - 1);
  return share;
}

}  // namespace

CollectiveShare collective_share(Collective collective, const Event& e, std::uint64_t peers, bool at_root) {
  CollectiveShare share;
  switch (collective) {
    case Collective::bcast:
      share.bytes = e.received > 0 ? e.received : peers == 0 ? 0 : e.bytes / peers;
      return share;
    case Collective::reduce:
      share.bytes = e.bytes > 0 ? e.bytes : peers < 2 ? 0 : e.received / (peers - 1);
      return share;
    case Collective::gather:
      return of_root(e.bytes, e.received, peers, at_root);
    case Collective::scatter:
      return of_root(e.received, e.bytes, peers, at_root);
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::allreduce:
    case Collective::reduce_scatter_block:
      return divided(e.bytes, peers);
    case Collective::scan:
    case Collective::exscan: {
      // Sent and received together: one share for each other process, and twice the own one of a scan that is not in
      // place.
      const auto all = e.bytes + e.received;
      const auto shares = peers + 1;
      const bool with = collective == Collective::scan && all % shares == 0;
      share.in_place = collective == Collective::scan && !with;
      share.bytes = peers == 0 ? 0 : with ? all / shares : peers > 1 ? all / (peers - 1) : 0;
      return share;
    }
    default:
      return share;
  }
}

}  // namespace mora::trace
