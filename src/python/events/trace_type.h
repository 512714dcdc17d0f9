/// The base of mora.Trace: events by number, EARL's read pointer, states. Written against Python's C interface because
/// loops of scripts call these at every event; mora/_trace/trace.py adds the rest.
#pragma once

#include "python/trace/trace_core.h"

namespace mora::python {

/// Makes the type TraceBase ready and adds it to the module. False with a Python error. TraceBase(core) takes a core as
/// pybind11 holds it.
bool add_trace_type(PyObject* module);

}  // namespace mora::python
