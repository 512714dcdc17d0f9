/// mora.Event: a number and its trace, written against Python's C interface because a loop over events makes millions.
#pragma once

#include "python/trace_core.h"

namespace mora::python {

/// Makes the type ready and adds it to the module. False with a Python error.
bool add_event_type(PyObject* module);

/// A new reference to event `p`; null with a Python error. Precondition: 1 <= p <= size.
PyObject* make_event(TraceCore& core, trace::Position p);

bool is_event(PyObject* object);
/// Precondition: is_event().
TraceCore& core_of(PyObject* event);
trace::Position number_of(PyObject* event);

/// What repr(), str() and the notebook show is written in Python (mora/_display.py): functions of one event.
void set_event_display(PyObject* repr, PyObject* str, PyObject* html);

}  // namespace mora::python
