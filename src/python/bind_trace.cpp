#include <pybind11/stl.h>

#include "python/bindings.h"
#include "python/errors.h"
#include "python/event_iterator.h"
#include "python/event_type.h"

namespace py = pybind11;

namespace mora::python {
namespace {

CoreRef open_core(const std::string& path, const std::string& format, bool extended, bool strict, bool trace_clock,
                  unsigned workers) {
  OpenOptions options;
  options.path = path;
  options.format = format;
  options.model = extended ? trace::RmaModel::extended : trace::RmaModel::basic;
  options.strict = strict;
  options.workers = workers;
  auto opened = [&] {
    py::gil_scoped_release unlocked;
    return open(options);
  }();
  if (!opened) throw_error(opened.error());
  return CoreRef(new TraceCore(std::move(*opened), path, trace_clock));
}

/// None if there is no such event.
py::object event(TraceCore& core, py::handle number) {
  const trace::View& view = core.open_view();
  if (!PyIndex_Check(number.ptr()))
    throw py::type_error(std::string("the number of an event is an int, not ") + Py_TYPE(number.ptr())->tp_name);
  const Py_ssize_t p = PyNumber_AsSsize_t(number.ptr(), nullptr);
  if (p == -1 && PyErr_Occurred()) throw py::error_already_set();
  if (p < 1 || static_cast<trace::Position>(p) > view.size()) return py::none();
  return py::reinterpret_steal<py::object>(make_event(core, static_cast<trace::Position>(p)));
}

py::object events(TraceCore& core, py::handle kinds, py::handle ranks, py::handle between, bool reverse) {
  core.open_view();
  Selection selection;
  if (!select(core, kinds.ptr(), ranks.ptr(), between.ptr(), selection)) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(make_event_iterator(core, std::move(selection), reverse));
}

py::list losses(const TraceCore& core) {
  py::list rows;
  for (const QualityRow& row : core.open_view().quality().rows())
    rows.append(py::make_tuple(row.kind, to_string(row.severity), row.where, row.count, row.what, row.remedy));
  return rows;
}

}  // namespace

void bind_trace(py::module_& m) {
  TraceClass trace(m, "TraceCore", "What the objects of one opened trace share.");
  trace.def_static("open", open_core);
  trace.def("close", [](TraceCore& core) {
    if (core.view != nullptr) core.close();
  });
  trace.def_property_readonly("closed", [](const TraceCore& core) { return core.view == nullptr; });
  trace.def_property_readonly("path", [](const TraceCore& core) { return py::str(core.path); });
  trace.def("size", [](const TraceCore& core) { return core.open_view().size(); });
  trace.def("event", event);
  trace.def("events", events);
  trace.def("set_owner", [](TraceCore& core, py::handle owner) {
    PyObject* reference = PyWeakref_NewRef(owner.ptr(), nullptr);
    if (reference == nullptr) throw py::error_already_set();
    Py_XSETREF(core.owner, reference);
  });
  trace.def("at_time", [](const TraceCore& core, Nanoseconds ns) { return core.open_view().at_time(ns); });
  trace.def("format", [](const TraceCore& core) {
    core.open_view();
    return core.opened->format;
  });
  trace.def("format_text", [](const TraceCore& core) { return core.open_view().source().format(); });
  trace.def("extended", [](const TraceCore& core) { return core.open_view().model() == trace::RmaModel::extended; });
  trace.def("duration_ns", [](const TraceCore& core) { return core.open_view().duration(); });
  trace.def_readonly("shift_ns", &TraceCore::shift);
  trace.def("time_origin_ns", [](const TraceCore& core) { return core.open_view().definitions().time_origin; });
  trace.def("index_bytes", [](const TraceCore& core) { return core.open_view().index_bytes(); });
  trace.def("reopened", [](const TraceCore& core) { return core.open_view().reopened(); });
  trace.def("losses", losses);
  bind_states(trace);
  bind_definitions(trace);
  bind_columns(trace);
}

}  // namespace mora::python
