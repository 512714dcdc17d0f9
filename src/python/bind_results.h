/// Statistics objects and results (.cubex) in the extension; the package's statistics.py and results.py wrap them.
#pragma once

#include <pybind11/pybind11.h>

namespace mora::python {

/// Adds Cube, and what bind_statistics() adds. Called once while the module is made; the GIL is held.
void bind_results(pybind11::module_& module);
void bind_statistics(pybind11::module_& module);

}  // namespace mora::python
