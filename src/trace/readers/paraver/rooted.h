/// Which collective operations have a root.
#pragma once

#include "trace/event.h"

namespace mora::trace::paraver {

constexpr bool is_rooted(Collective c) {
  return c == Collective::bcast || c == Collective::reduce || c == Collective::gather || c == Collective::gatherv ||
         c == Collective::scatter || c == Collective::scatterv;
}

}  // namespace mora::trace::paraver
