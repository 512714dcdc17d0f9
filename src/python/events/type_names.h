/// Names of the event types as Python strings, and the word for scripts that take "EXIT" for every way to leave a
/// region.
///
/// A script that compares `event.type` with "EXIT" passes over the exits of collective operations (MPICEXIT and its
/// like) without a sign: 8 of 160,008 exits were found by one. Those names are therefore strings of a class of their
/// own, equal to and hashed like ordinary ones, that notice such a comparison: after the second one of a type that the
/// script does not itself compare with (or at the end of the trace), a UserWarning says once what to write. Looking a
/// type up in a set or dict is not noticed.
#pragma once

#include <pybind11/pybind11.h>

#include "trace/index/event_store.h"

namespace mora::python {

/// Once, when the module is made; false with a Python error.
bool prepare_type_names();

/// Name of a type of the model. A new reference; plain str.
PyObject* model_type_name(trace::EarlType type);
/// The same for `event.type`: a str that notices comparisons with "EXIT" where they mislead.
PyObject* spoken_type_name(trace::EarlType type);

/// A trace is closed: says the word if a comparison misled and was not said yet. False with a Python error (warnings
/// are errors).
bool tell_about_exits();

}  // namespace mora::python
