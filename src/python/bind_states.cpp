// States S_0 … S_m (Hermanns 2004, 5.4): transfers, origins, collectives, locks (stacks and queues:
// events/state_queries.h). Numbers of events, youngest first. Long answers are computed without the GIL, on a trace
// that cannot be closed meanwhile because the answer holds it.

#include <pybind11/stl.h>

#include "python/bindings.h"
#include "python/events/state_queries.h"
#include "python/trace/errors.h"

namespace py = pybind11;

namespace mora::python {
namespace {

/// What `query` reads from the view, without the GIL.
template <class Query>
auto read_unlocked(const TraceCore& core, const trace::View& view, const Query& query) {
  const std::shared_ptr<OpenedTrace> held = core.opened;
  auto answer = [&] {
    py::gil_scoped_release unlocked;
    return query(view);
  }();
  core.throw_unless_intact();
  return answer;
}

/// Asks the view, without the GIL, or the adapter.
template <class AskView, class AskAdapter>
std::vector<trace::Position> ask(const TraceCore& core, trace::Position at, const AskView& ask_view,
                                 const AskAdapter& ask_adapter) {
  if (core.adapter != nullptr) {
    auto answer = ask_adapter(*core.adapter);
    if (!answer) throw_error(answer.error());
    return std::move(*answer);
  }
  const trace::View& view = core.open_view();
  if (!check_state(core, at)) throw py::error_already_set();
  return read_unlocked(core, view, ask_view);
}

std::vector<trace::Position> transfers(const TraceCore& core, trace::Position at) {
  core.open_definitions();
  return ask(
      core, at, [&](const trace::View& v) { return v.transfers(at); },
      [&](trace::earl::RandomAdapter& a) { return a.transfers(at); });
}

std::vector<trace::Position> origins(const TraceCore& core, trace::Position at) {
  core.open_definitions();
  return ask(
      core, at, [&](const trace::View& v) { return v.origins(at); },
      [&](trace::earl::RandomAdapter& a) { return a.origins(at); });
}

py::object index_or(std::uint32_t id, py::object otherwise) {
  return id == trace::no_id ? std::move(otherwise) : py::int_(id);
}

/// Collectives and locks: states of the index only.
template <class Query>
auto ask_view(const TraceCore& core, trace::Position at, const Query& query) {
  const trace::View& view = core.open_view();
  if (!check_state(core, at)) throw py::error_already_set();
  return read_unlocked(core, view, query);
}

py::list collectives(const TraceCore& core, trace::Position at) {
  const auto open = ask_view(core, at, [&](const trace::View& v) { return v.collectives(at); });
  py::list result;
  for (const trace::OpenCollective& c : open)
    result.append(py::make_tuple(index_or(c.comm, py::int_(-1)), mpi::to_string(c.collective), c.inside));
  return result;
}

py::list locks(const TraceCore& core, trace::Position at) {
  const auto held = ask_view(core, at, [&](const trace::View& v) { return v.locks(at); });
  py::list result;
  for (const trace::LockState& l : held)
    result.append(py::make_tuple(index_or(l.window, py::none()), index_or(l.target, py::none()), l.requested));
  return result;
}

}  // namespace

void bind_states(TraceClass& trace) {
  trace.def("transfers", transfers);
  trace.def("origins", origins);
  trace.def("collectives", collectives);
  trace.def("locks", locks);
  trace.def("nodecount", [](const TraceCore& core) {
    core.open_definitions();
    return core.node_count();
  });
  trace.def("node", [](const TraceCore& core, py::handle number) {
    core.open_definitions();
    std::uint32_t rank = 0;
    if (!node_number(core, number.ptr(), rank)) throw py::error_already_set();
    return rank;
  });
}

}  // namespace mora::python
