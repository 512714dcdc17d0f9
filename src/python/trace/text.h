/// Text of traces and file names as Python strings. It need not be UTF-8: other bytes become surrogates, as in
/// os.fsdecode().
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace mora::python {

/// A new reference; null with a Python error (memory).
inline PyObject* new_text(const std::string& text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
}

inline pybind11::object text(const std::string& value) {
  PyObject* result = new_text(value);
  if (result == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::object>(result);
}

/// The bytes of a str, surrogates back to what they were. TypeError, as a C++ exception, for anything else.
inline std::string bytes_of(pybind11::handle value) {
  if (!PyUnicode_Check(value.ptr()))
    throw pybind11::type_error(std::string("a name is a str, not ") + Py_TYPE(value.ptr())->tp_name);
  const auto bytes =
      pybind11::reinterpret_steal<pybind11::bytes>(PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogateescape"));
  if (!bytes) throw pybind11::error_already_set();
  return bytes;
}

}  // namespace mora::python
