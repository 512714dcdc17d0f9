/// What the functions of links_consumers.h share: how each consumer is driven up to the point where it knows the pairs.
#pragma once

#include <memory>
#include <vector>

#include "base/storage/spool.h"
#include "links_consumers.h"
#include "replay/actions/action.h"
#include "trace/clock/junctions.h"
#include "trace/view/view.h"

namespace mora::links_test {

using trace::EarlType;
using trace::Event;
using trace::EventKind;
using trace::LocationId;
using trace::MemorySource;

std::unique_ptr<trace::View> view_of(trace::MemorySource& source);
End end_of(const trace::ViewEvent& event);

trace::Junctions junctions_of(const trace::MemorySource& source, Spool<trace::Link>& links,
                              std::vector<trace::LocationLinks>& locations);

/// Fills `actions`.
trace::JoinedSequences joined_of(const trace::MemorySource& source, replay::Actions& actions);

}  // namespace mora::links_test
