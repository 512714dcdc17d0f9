/// The event of a pointer, and all of them: `event.send`, `event.links`.
#pragma once

#include "python/event_values.h"

namespace mora::python {

/// A new reference: an event, or None for a null pointer.
PyObject* linked_event(const EventAt& event, Attribute pointer);

/// A new dict: short name ("enter", "send", "recv", …) to event, for all pointers that are not null.
PyObject* all_links(const EventAt& event);

}  // namespace mora::python
