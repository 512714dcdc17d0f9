/// A channel of messages: on it the k-th send belongs to the k-th *posted* receive that ended with its envelope.
///
/// Source: MPI-3.1, 3.5 (messages of one channel do not overtake each other). A blocking receive is posted where it
/// stands, a non-blocking one where its request became active (MPI_Irecv, MPI_Start, a matched probe), whatever the
/// order of completion. Wildcards need no rule of their own: source and tag come from the status of the completed
/// receive. Global time is never used, so clocks that disagree cannot change a pair.
/// Limits: several threads of one rank that receive on one channel have no posting order in the trace; there, sends are
/// taken in the order of time.
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
