#include "python/events/state_queries.h"

#include <fmt/format.h>

#include <optional>

#include "python/trace/errors.h"

namespace mora::python {
namespace {

PyObject* list_of(const std::vector<trace::Position>& numbers) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(numbers.size()));
  for (std::size_t i = 0; list != nullptr && i < numbers.size(); ++i) {
    PyObject* number = PyLong_FromUnsignedLongLong(numbers[i]);
    if (number == nullptr) Py_CLEAR(list);
    if (list != nullptr) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), number);
  }
  return list;
}

PyObject* region_of(TraceCore& core, trace::Position enter) {
  if (core.adapter == nullptr) return core.region_name(core.view->region(enter));
  const auto event = fetch(core, enter);
  return event ? core.region_name(event->region) : nullptr;
}

PyObject* names_of(TraceCore& core, const std::vector<trace::Position>& enters) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(enters.size()));
  for (std::size_t i = 0; list != nullptr && i < enters.size(); ++i) {
    PyObject* name = region_of(core, enters[i]);
    if (name == nullptr) Py_CLEAR(list);
    if (list != nullptr) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), name);
  }
  return list;
}

/// The numbers of an answer of the adapter. False with a Python error.
bool take(Result<std::vector<trace::Position>>&& answer, std::vector<trace::Position>& numbers) {
  if (!answer) {
    set_error(answer.error());
    return false;
  }
  numbers = std::move(*answer);
  return true;
}

}  // namespace

bool node_number(const TraceCore& core, PyObject* number, std::uint32_t& rank) {
  if (!PyIndex_Check(number)) {
    PyErr_Format(PyExc_TypeError, "a node is the rank of a process (int), not %s", Py_TYPE(number)->tp_name);
    return false;
  }
  const Py_ssize_t value = PyNumber_AsSsize_t(number, nullptr);  // may run Python code
  if (value == -1 && PyErr_Occurred() != nullptr) return false;
  const std::uint64_t count = core.node_count();
  if (value < 0 || static_cast<std::uint64_t>(value) >= count) {
    set_usage_error(fmt::format("undefined nodenumber {}", value), "",
                    count == 0 ? "the trace has no nodes" : fmt::format("the nodes are 0 to {}", count - 1));
    return false;
  }
  rank = static_cast<std::uint32_t>(value);
  return true;
}

bool check_state(const TraceCore& core, trace::Position at) {
  if (core.view == nullptr || at <= core.view->size()) return true;
  set_usage_error(fmt::format("there is no state {}", at), "",
                  fmt::format("the states are 0 to {}", core.view->size()));
  return false;
}

PyObject* region_stack(TraceCore& core, trace::Position at, PyObject* node, bool sym, PyObject* thread_number) {
  std::uint32_t rank = 0;
  if (!core.check_open() || !node_number(core, node, rank)) return nullptr;
  Py_ssize_t thread = 0;
  if (thread_number != nullptr) {
    thread = PyNumber_AsSsize_t(thread_number, PyExc_OverflowError);
    if (thread == -1 && PyErr_Occurred() != nullptr) return nullptr;
  }
  if (!core.check_open() || !check_state(core, at)) return nullptr;
  const trace::LocationId where =
      thread < 0 || thread > UINT32_MAX ? trace::no_id : core.location(rank, static_cast<std::uint32_t>(thread));
  if (where == trace::no_id) {
    if (thread == 0) return PyList_New(0);
    set_usage_error(fmt::format("node {} has no thread {}", rank, thread), "", "trace.locations lists all threads");
    return nullptr;
  }
  std::vector<trace::Position> numbers;
  if (core.adapter == nullptr)
    numbers = core.view->stack(where, at);
  else if (!take(core.adapter->stack(at, where), numbers))
    return nullptr;
  if (!core.check_intact()) return nullptr;
  return sym ? names_of(core, numbers) : list_of(numbers);
}

PyObject* message_queue(TraceCore& core, trace::Position at, PyObject* dest, PyObject* src) {
  if (!core.check_open()) return nullptr;
  std::optional<std::uint32_t> destination, source;
  for (const auto& [object, rank] : {std::pair{dest, &destination}, {src, &source}}) {
    if (object == Py_None) continue;
    if (!node_number(core, object, rank->emplace()) || !core.check_open()) return nullptr;
  }
  if (!check_state(core, at)) return nullptr;
  std::vector<trace::Position> numbers;
  if (core.adapter != nullptr)
    return take(core.adapter->queue(at, destination, source), numbers) ? list_of(numbers) : nullptr;
  const std::shared_ptr<OpenedTrace> held = core.opened;
  {
    pybind11::gil_scoped_release unlocked;
    numbers = held->view->queue(at, destination, source);
  }
  return core.check_intact() ? list_of(numbers) : nullptr;
}

}  // namespace mora::python
