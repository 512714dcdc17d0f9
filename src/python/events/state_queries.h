/// Region stacks and message queues (Wolf 1998, 4.2 and 6.1.2) as Python lists of numbers of events, youngest first.
/// Each: a new reference; null with a Python error (mora.UsageError: undefined node, thread or state; TypeError). The
/// GIL is held; a queue is computed without it, on a trace that cannot be freed meanwhile.
#pragma once

#include "python/events/event_values.h"

namespace mora::python {

/// The rank that `number` names. False with a Python error.
bool node_number(const TraceCore& core, PyObject* number, std::uint32_t& rank);

/// `sym`: names of the regions instead.
PyObject* region_stack(TraceCore& core, trace::Position at, PyObject* node, bool sym, PyObject* thread);
/// None: any destination, any source.
PyObject* message_queue(TraceCore& core, trace::Position at, PyObject* dest, PyObject* src);

/// False with mora.UsageError if the index has no state `at`.
bool check_state(const TraceCore& core, trace::Position at);

}  // namespace mora::python
