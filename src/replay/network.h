/// What the network costs. Everything the replay asks of a network goes through here.
#pragma once

#include "base/time.h"

namespace mora::replay {

/// Costs nothing (POP metrics, Transfer Efficiency; Mora's rule ideal-network). A real one will need the sizes, too;
/// then Action gets them. Times in ns.
struct IdealNetwork {
  /// How long a location is busy with handing a message, a signal or its part of a collective to the network.
  static constexpr Nanoseconds injection() { return 0; }
  /// From there until it is where it is needed.
  static constexpr Nanoseconds transfer() { return 0; }
};

}  // namespace mora::replay
