// _mora: the extension below the package `mora`. Everything public is documented there; nothing here is public.

#include <pybind11/pybind11.h>

#include "python/bind_results.h"
#include "python/bindings.h"
#include "python/events/event_iterator.h"
#include "python/events/event_type.h"
#include "python/events/state_type.h"
#include "python/events/trace_type.h"

namespace py = pybind11;

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
  bind_formats(m);
  bind_trace(m);
  bind_writer(m);
  bind_results(m);
}
