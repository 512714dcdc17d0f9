/// mora.EventIterator: walks through a selection of events, forward or backward.
#pragma once

#include "python/events/selection.h"

namespace mora::python {

/// Makes the type ready and adds it to the module. False with a Python error.
bool add_event_iterator_type(PyObject* module);

/// A new reference; null with a Python error.
PyObject* make_event_iterator(TraceCore& core, Selection selection, bool reverse);

}  // namespace mora::python
