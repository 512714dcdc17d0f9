// States S_0 … S_m (Wolf 1998, 4.2 and 6.1.2; Hermanns 2004, 5.4): region stacks, message queue, transfers, origins,
// collectives, locks. Numbers of events, youngest first. Long answers are computed without the GIL, on a trace that
// cannot be closed meanwhile because the answer holds it.

#include <pybind11/stl.h>

#include <fmt/format.h>

#include "python/bindings.h"
#include "python/errors.h"
#include "python/event_values.h"

namespace py = pybind11;

namespace mora::python {
namespace {

std::uint64_t node_count(const trace::Definitions& d) {
  std::uint64_t count = d.world_size;
  for (const trace::Location& location : d.locations) count = std::max<std::uint64_t>(count, location.rank + 1ULL);
  return count;
}

std::uint32_t node(const trace::Definitions& d, py::handle number) {
  if (!PyIndex_Check(number.ptr()))
    throw py::type_error(std::string("a node is the rank of a process (int), not ") + Py_TYPE(number.ptr())->tp_name);
  const Py_ssize_t rank = PyNumber_AsSsize_t(number.ptr(), nullptr);
  if (rank == -1 && PyErr_Occurred()) throw py::error_already_set();
  const std::uint64_t count = node_count(d);
  if (rank < 0 || static_cast<std::uint64_t>(rank) >= count)
    throw_usage_error(fmt::format("undefined nodenumber {}", rank), "",
                      count == 0 ? "the trace has no nodes" : fmt::format("the nodes are 0 to {}", count - 1));
  return static_cast<std::uint32_t>(rank);
}

trace::LocationId location(const trace::Definitions& d, std::uint32_t rank, std::uint32_t thread) {
  for (trace::LocationId i = 0; i < d.locations.size(); ++i) {
    if (d.locations[i].rank == rank && d.locations[i].thread == thread) return i;
  }
  return trace::no_id;
}

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
  if (at > view.size())
    throw_usage_error(fmt::format("there is no state {}", at), "", fmt::format("the states are 0 to {}", view.size()));
  return read_unlocked(core, view, ask_view);
}

py::list stack(TraceCore& core, trace::Position at, py::handle node_number, bool sym, std::uint32_t thread) {
  const trace::Definitions& d = core.open_definitions();
  const std::uint32_t rank = node(d, node_number);
  const trace::LocationId where = location(d, rank, thread);
  py::list result;
  if (where == trace::no_id) {
    if (thread != 0)
      throw_usage_error(fmt::format("node {} has no thread {}", rank, thread), "", "trace.locations lists all threads");
    return result;
  }
  const auto numbers = ask(
      core, at, [&](const trace::View& v) { return v.stack(where, at); },
      [&](trace::earl::RandomAdapter& a) { return a.stack(at, where); });
  for (const trace::Position p : numbers) {
    if (!sym) {
      result.append(p);
      continue;
    }
    trace::RegionId region = trace::no_id;
    if (core.adapter != nullptr) {
      const auto enter = fetch(core, p);
      if (!enter) throw py::error_already_set();
      region = enter->region;
    } else {
      region = core.open_view().region(p);
    }
    result.append(py::reinterpret_steal<py::object>(core.region_name(region)));
  }
  return result;
}

std::vector<trace::Position> queue(const TraceCore& core, trace::Position at, py::handle dest, py::handle src) {
  const trace::Definitions& d = core.open_definitions();
  std::optional<std::uint32_t> destination, source;
  if (!dest.is_none()) destination = node(d, dest);
  if (!src.is_none()) source = node(d, src);
  return ask(
      core, at, [&](const trace::View& v) { return v.queue(at, destination, source); },
      [&](trace::earl::RandomAdapter& a) { return a.queue(at, destination, source); });
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
  if (at > view.size())
    throw_usage_error(fmt::format("there is no state {}", at), "", fmt::format("the states are 0 to {}", view.size()));
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
  trace.def("stack", stack);
  trace.def("queue", queue);
  trace.def("transfers", transfers);
  trace.def("origins", origins);
  trace.def("collectives", collectives);
  trace.def("locks", locks);
  trace.def("nodecount", [](const TraceCore& core) { return node_count(core.open_definitions()); });
  trace.def("node", [](const TraceCore& core, py::handle number) { return node(core.open_definitions(), number); });
}

}  // namespace mora::python
