// _mora: the extension below the package `mora`. Everything public is documented there; nothing here is public.

#include <pybind11/pybind11.h>

#include "python/bind_results.h"
#include "python/bindings.h"
#include "python/events/event_iterator.h"
#include "python/events/event_type.h"
#include "python/events/state_type.h"
#include "python/events/trace_type.h"

namespace py = pybind11;

namespace {

/// Gives `type`, a class in Python whose base is a type of this module, the base's methods as its own, but for those
/// that it defines itself. From version 3.11 on CPython specialises calls of methods in C, but only where the type of
/// the object is the very type that the method was made for (PRECALL_NO_KW_METHOD_DESCRIPTOR_… in its ceval.c): an
/// inherited one costs some 150 instructions more for each call.
py::type own_methods(const py::type& class_in_python) {
  auto* type = reinterpret_cast<PyTypeObject*>(class_in_python.ptr());
  for (PyMethodDef* method = type->tp_base->tp_methods; method != nullptr && method->ml_name != nullptr; ++method) {
    if (PyDict_GetItemString(type->tp_dict, method->ml_name) != nullptr) continue;
    const auto descriptor = py::reinterpret_steal<py::object>(PyDescr_NewMethod(type, method));
    if (!descriptor) throw py::error_already_set();
    py::setattr(class_in_python, method->ml_name, descriptor);
  }
  return class_in_python;
}

}  // namespace

PYBIND11_MODULE(_mora, m) {
  using namespace mora::python;
  m.doc() = "The inside of the package mora.";
  if (!add_event_type(m.ptr()) || !add_event_iterator_type(m.ptr()) || !add_state_type(m.ptr()) ||
      !add_trace_type(m.ptr()))
    throw py::error_already_set();
  m.def("set_event_display", [](const py::object& repr, const py::object& str, const py::object& html) {
    set_event_display(repr.ptr(), str.ptr(), html.ptr());
  });
  m.def("set_state_class", [](const py::object& type) { set_state_class(type.ptr()); });
  m.def("own_methods", &own_methods, "Class decorator: methods in C that the class inherits are called the short way.");
  bind_formats(m);
  bind_trace(m);
  bind_writer(m);
  bind_results(m);
}
