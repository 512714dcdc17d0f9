/// Arguments of methods written against Python's C interface (METH_FASTCALL | METH_KEYWORDS).
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>

namespace mora::python {

/// Puts the arguments of a call into `values` (borrowed; null: not given), by position and name. `required` of them
/// must be there. False with a TypeError as Python's own functions raise it.
template <std::size_t n>
bool take_arguments(const char* function, const std::array<const char*, n>& names, std::size_t required,
                    PyObject* const* arguments, Py_ssize_t count, PyObject* keywords,
                    std::array<PyObject*, n>& values) {
  values.fill(nullptr);
  if (static_cast<std::size_t>(count) > n) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zu arguments (%zd given)", function, n, count);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = arguments[i];
  for (Py_ssize_t k = 0; keywords != nullptr && k < PyTuple_GET_SIZE(keywords); ++k) {
    PyObject* keyword = PyTuple_GET_ITEM(keywords, k);
    std::size_t at = 0;
    while (at < n && PyUnicode_CompareWithASCIIString(keyword, names[at]) != 0) ++at;
    if (at == n || values[at] != nullptr) {
      PyErr_Format(
          PyExc_TypeError,
          at == n ? "%s() got an unexpected keyword argument '%U'" : "%s() got multiple values for argument '%U'",
          function, keyword);
      return false;
    }
    values[at] = arguments[count + k];
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (values[i] != nullptr) continue;
    PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%s'", function, names[i]);
    return false;
  }
  return true;
}

/// Truth of an argument that may be left out; -1 with a Python error.
inline int truth_of(PyObject* argument) { return argument == nullptr ? 0 : PyObject_IsTrue(argument); }

}  // namespace mora::python
