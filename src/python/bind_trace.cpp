/// Opening a trace and what a script asks of it as a whole: `mora.open` and the trace object (mora/_trace/trace.py).
#include <pybind11/stl.h>

#include "python/bindings.h"
#include "python/events/event_iterator.h"
#include "python/events/event_type.h"
#include "python/events/event_values.h"
#include "python/events/type_names.h"
#include "python/trace/errors.h"
#include "python/trace/opening.h"
#include "python/trace/text.h"
#include "trace/text/event_text.h"

namespace py = pybind11;

namespace mora::python {
namespace {

CoreRef open_core(const std::string& path, const std::string& format, std::uint64_t application, bool extended,
                  bool strict, bool trace_clock, const std::string& correct_clocks, const std::string& min_latency,
                  py::handle progress, bool index, std::int64_t hist, std::int64_t mark) {
  OpenOptions options;
  options.path = path;
  options.format = format;
  options.application = application;
  options.model = extended ? trace::RmaModel::extended : trace::RmaModel::basic;
  options.strict = strict;
  options.clocks.mode = correct_clocks == "auto"     ? trace::ClockMode::automatic
                        : correct_clocks == "always" ? trace::ClockMode::always
                                                     : trace::ClockMode::never;
  if (!min_latency.empty()) {
    const auto parsed = trace::parse_min_latencies(min_latency, "min_latency", options.clocks);
    if (!parsed) throw_error(parsed.error());
  }
  options.index = index;
  options.adapter.hist = hist;
  options.adapter.mark = mark;
  return CoreRef(new TraceCore(open_watched(options, progress), path, trace_clock));
}

py::object events(TraceCore& core, py::handle kinds, py::handle ranks, py::handle between, bool reverse) {
  core.open_definitions();
  Selection selection;
  if (!select(core, kinds.ptr(), ranks.ptr(), between.ptr(), selection)) throw py::error_already_set();
  PyObject* iterator = make_event_iterator(core, std::move(selection), reverse);
  if (iterator == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(iterator);
}

std::uint64_t size(TraceCore& core) {
  core.open_definitions();
  std::uint64_t count = 0;
  if (!count_events(core, count)) throw py::error_already_set();
  return count;
}

/// Begin and end of the measured time, by the clock of the events.
py::tuple measured(const TraceCore& core) {
  core.open_definitions();
  const Nanoseconds shift = core.shift();
  const auto at = [&](Nanoseconds time) { return py::reinterpret_steal<py::object>(exact_sum(time, shift)); };
  return py::make_tuple(at(core.opened->measured.begin()), at(core.opened->measured.end()));
}

py::list losses(const TraceCore& core) {
  core.open_definitions();
  py::list rows;
  for (const QualityRow& row : core.opened->quality.rows())
    rows.append(py::make_tuple(row.kind, to_string(row.severity), text(row.where), row.count, text(row.what),
                               text(row.remedy)));
  return rows;
}

trace::earl::RandomAdapter& adapter(TraceCore& core) {
  core.open_definitions();
  if (core.adapter == nullptr)
    throw_usage_error("only traces without index count their reads", "", "open it with index=False");
  return *core.adapter;
}

void bind_adapter(TraceClass& trace) {
  trace.def("counters", [](TraceCore& core) {
    const trace::earl::AdapterCounters c = adapter(core).counters();
    return py::make_tuple(c.decoded, c.seeks, c.live, c.peak, c.bookmarks);
  });
  trace.def("history", [](TraceCore& core) { return adapter(core).history(); });
  trace.def("bookmarks", [](TraceCore& core) { return adapter(core).bookmarks(); });
}

}  // namespace

void bind_trace(py::module_& m) {
  TraceClass trace(m, "TraceCore", "What the objects of one opened trace share.");
  trace.def_static("open", open_core);
  m.def("wait_for_openings", wait_for_openings, py::call_guard<py::gil_scoped_release>());
  trace.def("close", [](TraceCore& core) {
    if (core.closed()) return;
    core.close();
    if (!tell_about_exits()) throw py::error_already_set();
  });
  trace.def("check", [](const TraceCore& core) { core.open_definitions(); });
  trace.def_property_readonly("closed", &TraceCore::closed);
  trace.def_property_readonly("path", [](const TraceCore& core) { return text(core.path); });
  trace.def("size", size);
  trace.def("known_size", [](const TraceCore& core) -> std::optional<std::uint64_t> {
    core.open_definitions();
    return core.adapter != nullptr ? core.adapter->size() : core.view->size();
  });
  trace.def("events", events);
  trace.def("set_owner", [](TraceCore& core, py::handle owner) {
    PyObject* reference = PyWeakref_NewRef(owner.ptr(), nullptr);
    if (reference == nullptr) throw py::error_already_set();
    Py_XSETREF(core.owner, reference);
  });
  trace.def("format", [](const TraceCore& core) {
    core.open_definitions();
    return core.opened->format;
  });
  trace.def("format_text", [](const TraceCore& core) {
    core.open_definitions();
    return text(core.opened->source->format());
  });
  trace.def("extended", [](const TraceCore& core) {
    core.open_definitions();
    return core.opened->model == trace::RmaModel::extended;
  });
  trace.def("measured_ns", measured);
  trace.def_property_readonly("shift_ns", [](const TraceCore& core) {
    core.open_definitions();
    return core.shift();
  });
  trace.def("time_origin_ns",
            [](const TraceCore& core) { return core.open_definitions().time_origin + core.opened->first_time(); });
  trace.def("index_bytes", [](const TraceCore& core) {
    core.open_definitions();
    return core.view != nullptr ? core.view->index_bytes() : 0;
  });
  trace.def("reopened", [](const TraceCore& core) {
    core.open_definitions();
    return core.view != nullptr && core.view->reopened();
  });
  trace.def("losses", losses);
  bind_adapter(trace);
  bind_states(trace);
  bind_definitions(trace);
  bind_columns(trace);
  bind_frames(trace);
  bind_calls(trace);
}

}  // namespace mora::python
