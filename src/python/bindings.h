/// The parts of the extension module, each in its own bind_*.cpp.
#pragma once

#include <pybind11/pybind11.h>

#include "python/trace/trace_core.h"

namespace mora::python {

using TraceClass = pybind11::class_<TraceCore, CoreRef>;

/// Each adds one part of the module or of the class Trace (bind_*.cpp); called once, when the module is imported.
void bind_formats(pybind11::module_& module);
void bind_trace(pybind11::module_& module);
void bind_states(TraceClass& trace);
void bind_definitions(TraceClass& trace);
void bind_columns(TraceClass& trace);
void bind_frames(TraceClass& trace);
void bind_calls(TraceClass& trace);
void bind_writer(pybind11::module_& module);

}  // namespace mora::python
