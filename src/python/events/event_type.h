/// mora.Event: a number and its trace, written against Python's C interface because a loop over events makes millions.
#pragma once

#include "python/events/event_values.h"

namespace mora::python {

/// Makes the type ready and adds it to the module. False with a Python error.
bool add_event_type(PyObject* module);

/// A new reference to event `p`; null with a Python error. Precondition: the trace has an index, 1 <= p <= size.
PyObject* make_event(TraceCore& core, trace::Position p);
/// Likewise, of a trace without index.
PyObject* make_event(TraceCore& core, trace::Position p, const trace::ViewEvent& decoded);
/// Likewise, of either; an event that is known to exist.
PyObject* existing_event(TraceCore& core, trace::Position p);

/// Of any subclass; false for the other Python objects.
bool is_event(PyObject* object);
/// Where the event's values come from. Precondition: is_event(); look at core.closed() first.
EventAt event_at(PyObject* event);
/// What repr(), str() and the notebook show is written in Python (mora/_display.py): functions of one event.
void set_event_display(PyObject* repr, PyObject* str, PyObject* html);

}  // namespace mora::python
