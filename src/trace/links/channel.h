/// A channel of messages: on it the k-th send belongs to the k-th *posted* receive that ended with its envelope.
///
/// Rule (MPI-3.1 section 3.5, non-overtaking). A blocking receive is posted where it stands, a non-blocking one where
/// its request became active (MPI_Irecv, MPI_Start, a matched probe), whatever the order of completion; wildcards need
/// no rule of their own, since the envelope comes from the status. Global time is never used.
#pragma once

#include <compare>
#include <cstdint>

#include "trace/definitions.h"

namespace mora::trace {

struct Channel {
  CommId comm = no_id;
  std::uint32_t source = 0, destination = 0;  ///< world ranks
  std::int32_t tag = 0;
  auto operator<=>(const Channel&) const = default;
};

}  // namespace mora::trace
