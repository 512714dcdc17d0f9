/// The base of mora.State: a number and its trace, stacks and queues. Written against Python's C interface because
/// scripts ask a state at every event; mora/_trace/state.py adds the rest.
#pragma once

#include "python/trace/trace_core.h"

namespace mora::python {

/// Makes the type StateBase ready and adds it to the module. False with a Python error.
bool add_state_type(PyObject* module);

/// The class that make_state() makes; a subclass of StateBase without slots of its own.
void set_state_class(PyObject* type);

/// A new reference; null with a Python error. `owner` is the core as pybind11 holds it. The state exists.
PyObject* make_state(PyObject* owner, TraceCore& core, trace::Position at);

}  // namespace mora::python
