/// What the module knows without a trace: version, formats, event types and their attributes.
#include "base/version.h"
#include "python/bindings.h"
#include "python/events/event_attributes.h"
#include "python/events/type_names.h"
#include "trace/readers/open_trace.h"

namespace py = pybind11;

namespace mora::python {

void bind_formats(py::module_& m) {
  m.def("version", [] { return version(); });
  m.def("formats", [] {
    py::list result;
    for (const trace::TraceFormat& format : trace::trace_formats())
      result.append(py::make_tuple(format.name, format.description));
    return result;
  });
  m.def("type_names", [] {
    py::tuple names(trace::earl_type_count);
    for (std::size_t i = 0; i < trace::earl_type_count; ++i)
      names[i] = py::reinterpret_steal<py::object>(model_type_name(static_cast<trace::EarlType>(i)));
    return names;
  });
  m.def("collective_names", [] {
    py::tuple names(mpi::collective_count);
    for (std::size_t i = 0; i < mpi::collective_count; ++i) names[i] = mpi::to_string(static_cast<mpi::Collective>(i));
    return names;
  });
  m.def("attributes_of_type", [](std::size_t type) {
    if (type >= trace::earl_type_count) throw py::index_error("no such type");
    py::list names;
    for (const Attribute a : base_attributes) names.append(name_of(a));
    for (const Attribute a : own_attributes(static_cast<trace::EarlType>(type))) names.append(name_of(a));
    return names;
  });
}

}  // namespace mora::python
