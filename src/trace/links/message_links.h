/// Which send belongs to which receive.
///
/// Rule (MPI-3.1 section 3.5, non-overtaking): on a channel (communicator instance, source, destination, tag) the k-th
/// send belongs to the k-th *posted* receive that ended with that envelope. A blocking receive is posted where it
/// stands, a non-blocking one where its request became active (MPI_Irecv, MPI_Start, a matched probe), whatever the
/// order of completion; wildcards need no rule of their own, since the envelope comes from the status. Global time is
/// never used. Cost: one sort of the receives of each channel.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/data_quality.h"
#include "trace/event.h"

namespace mora::trace {

struct Channel {
  CommId comm = no_id;
  std::uint32_t source = 0, destination = 0;  ///< world ranks
  std::int32_t tag = 0;
  auto operator<=>(const Channel&) const = default;
};

/// Life of the receive requests of one location: remembers where a request was posted until it ends.
class RequestLife {
 public:
  void posted(std::uint64_t request, std::uint64_t ordinal) { open_[request] = ordinal; }
  /// Where the request was posted; `fallback` if that was not recorded.
  std::uint64_t completed(std::uint64_t request, std::uint64_t fallback);
  void cancelled(std::uint64_t request) { open_.erase(request); }
  std::size_t open() const { return open_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> open_;
};

/// Not thread-safe. Events of one location must come in stream order; locations in any order.
class MessageLinks {
 public:
  /// `id`s are the caller's names for the events. Other kinds of events are ignored.
  void add(LocationId location, std::uint32_t rank, std::uint64_t ordinal, const Event& event, std::uint64_t id);

  struct Pair {
    std::uint64_t send, receive;
  };
  /// All pairs, by channel. Leftovers are counted in `quality` (unmatched-send, unmatched-receive).
  std::vector<Pair> match(DataQuality& quality);

 private:
  struct Receive {
    LocationId location;
    std::uint64_t posted, id;
  };
  struct Halves {
    std::vector<std::uint64_t> sends;
    std::vector<Receive> receives;
  };
  std::map<Channel, Halves> channels_;
  std::unordered_map<LocationId, RequestLife> requests_;
};

}  // namespace mora::trace
