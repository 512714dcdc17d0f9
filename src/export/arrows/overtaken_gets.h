/// Gets that a picture shows in the wrong order (Hermanns 2004, 7.2).
///
/// With locks that do not block, a Get can be drawn as leaving its target before another process's Put arrives there,
/// though the order of the unlocks proves that the Put was first and the Get read its value. A picture that draws Gets
/// from their recorded start (kinds `model` and `closed`) must say so. Two shared locks have no order and are not
/// compared.
#pragma once

#include <set>

#include "trace/view/view.h"

namespace mora::exports {

/// The GET_1TS of all such Gets. Needs the extended model (empty in the basic one). One pass; memory: pairs of ranks
/// per window, and the result.
std::set<trace::Position> overtaken_gets(const trace::View& view);

}  // namespace mora::exports
