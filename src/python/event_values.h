/// Values of attributes as Python objects. The caller holds the GIL and has checked that the trace is open.
#pragma once

#include "python/event_attributes.h"
#include "python/trace_core.h"

namespace mora::python {

/// Interns the names of the event types. Once, when the module is made; false with a Python error.
bool prepare_event_values();

/// A new reference; null with a Python error. Precondition: the event's type has the attribute.
PyObject* attribute_value(TraceCore& core, trace::Position p, trace::EarlType type, Attribute attribute);

/// Number of the event that a pointer attribute points to, 0 = null. Precondition: as above, a pointer.
trace::Position pointer_value(const trace::View& view, trace::Position p, Attribute attribute);

/// Name of a model type or of the user-defined type of the event. A new reference.
PyObject* type_name(TraceCore& core, trace::Position p, trace::EarlType type);
PyObject* model_type_name(trace::EarlType type);

}  // namespace mora::python
