/// NumPy for the extension, safe with several threads. Nothing else here includes <pybind11/numpy.h>.
#pragma once

#include <pybind11/numpy.h>

namespace mora::python {

/// Imports NumPy; every function that touches an array calls it first, and takes arrays as handles. ImportError if it
/// is not installed.
///
/// pybind11 2.10 looks NumPy up while it initialises a static variable: the import gives the GIL away with the
/// variable's lock held, and a second thread that has the GIL then waits for that lock for ever. Here the import comes
/// first, under Python's own locks; with the module imported, the look-up keeps the GIL.
inline void need_numpy() { pybind11::module_::import("numpy.core.multiarray"); }

}  // namespace mora::python
