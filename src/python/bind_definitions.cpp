// Definitions as plain tuples; mora/_trace/definitions.py makes named objects of them.

#include <pybind11/stl.h>

#include "python/bindings.h"
#include "python/trace/text.h"

namespace py = pybind11;

namespace mora::python {
namespace {

template <class Things, class Make>
py::list list_of(const Things& things, const Make& make) {
  py::list result;
  for (const auto& thing : things) result.append(make(thing));
  return result;
}

py::object index_or_none(std::uint32_t id) { return id == trace::no_id ? py::object(py::none()) : py::int_(id); }

py::tuple ranks(const std::vector<std::uint32_t>& members) {
  py::tuple result(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) result[i] = members[i];
  return result;
}

}  // namespace

void bind_definitions(TraceClass& trace) {
  trace.def("program", [](const TraceCore& core) { return text(core.open_definitions().program); });
  trace.def("regions", [](const TraceCore& core) {
    return list_of(core.open_definitions().regions, [](const trace::Region& r) {
      return py::make_tuple(text(r.name), text(r.group.empty() ? "All" : r.group),
                            r.call_site_file.empty() ? py::none() : text(r.call_site_file),
                            r.call_site_line == 0 ? py::object(py::none()) : py::int_(r.call_site_line),
                            r.kind == trace::RegionKind::mpi);
    });
  });
  trace.def("locations", [](const TraceCore& core) {
    const trace::Definitions& d = core.open_definitions();
    static const char* const kinds[] = {"cpu", "device", "metric"};
    return list_of(d.locations, [&](const trace::Location& l) {
      return py::make_tuple(text(l.name), l.rank, l.thread,
                            l.node < d.nodes.size() ? text(d.nodes[l.node].name) : text(""),
                            kinds[static_cast<std::size_t>(l.kind)]);
    });
  });
  trace.def("communicators", [](const TraceCore& core) {
    return list_of(core.open_definitions().communicators, [](const trace::Communicator& c) {
      return py::make_tuple(text(c.name), ranks(c.members), ranks(c.remote_members), c.self, index_or_none(c.parent));
    });
  });
  trace.def("windows", [](const TraceCore& core) {
    return list_of(core.open_definitions().windows,
                   [](const trace::Window& w) { return py::make_tuple(text(w.name), index_or_none(w.comm)); });
  });
  trace.def("groups", [](const TraceCore& core) {
    return list_of(core.open_definitions().groups,
                   [](const trace::Group& g) { return py::make_tuple(ranks(g.members)); });
  });
  trace.def("metrics", [](const TraceCore& core) {
    return list_of(core.open_definitions().metrics,
                   [](const trace::Metric& m) { return py::make_tuple(text(m.name), text(m.unit)); });
  });
  trace.def("user_types", [](const TraceCore& core) {
    return list_of(core.open_definitions().user_types, [](const std::string& name) { return text(name); });
  });
}

}  // namespace mora::python
