#include "python/events/trace_type.h"

#include <structmember.h>

#include <cstddef>

#include "python/events/call_arguments.h"
#include "python/events/event_type.h"
#include "python/events/state_queries.h"
#include "python/events/state_type.h"
#include "python/trace/errors.h"

namespace mora::python {
namespace {

struct TraceObject {
  PyObject_HEAD PyObject* owner;  ///< the core as pybind11 holds it; null before __init__
  TraceCore* core;
  unsigned long long position;  ///< the read pointer
};

PyTypeObject trace_base{};

TraceObject* trace_of(PyObject* object) { return reinterpret_cast<TraceObject*>(object); }

/// The trace, open; null with a Python error.
TraceObject* opened(PyObject* object) {
  TraceObject* self = trace_of(object);
  if (self->core == nullptr) {
    PyErr_SetString(PyExc_TypeError, "traces are opened with mora.open()");
    return nullptr;
  }
  return self->core->check_open() ? self : nullptr;
}

/// Event `p`; None if there is none. `moves`: it becomes the read pointer. The trace is open.
PyObject* read_event(TraceObject* self, Py_ssize_t p, bool moves) {
  if (p < 1) Py_RETURN_NONE;
  TraceCore& core = *self->core;
  const auto at = static_cast<trace::Position>(p);
  PyObject* event = nullptr;
  if (core.adapter == nullptr) {
    if (at > core.view->size()) Py_RETURN_NONE;
    event = make_event(core, at);
  } else {
    const auto read = moves ? core.adapter->get(at) : core.adapter->fetch(at);
    if (!read) {
      set_error(read.error());
      return nullptr;
    }
    if (!*read) Py_RETURN_NONE;
    event = make_event(core, at, **read);
  }
  if (event != nullptr && moves) self->position = at;
  return event;
}

/// A number of an event as it is; false with a Python error (TypeError; it may run Python code, which may close the
/// trace).
bool event_number(PyObject* object, Py_ssize_t& number) {
  if (!PyIndex_Check(object)) {
    PyErr_Format(PyExc_TypeError, "the number of an event is an int, not %s", Py_TYPE(object)->tp_name);
    return false;
  }
  number = PyNumber_AsSsize_t(object, nullptr);
  return number != -1 || PyErr_Occurred() == nullptr;
}

PyObject* trace_get(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  std::array<PyObject*, 2> given{};
  if (!take_arguments<2>("get", {"number", "fetch_only"}, 1, arguments, count, keywords, given)) return nullptr;
  Py_ssize_t number = 0;
  const int fetch_only = truth_of(given[1]);
  if (fetch_only < 0 || !event_number(given[0], number)) return nullptr;
  TraceObject* self = opened(object);
  return self == nullptr ? nullptr : read_event(self, number, fetch_only == 0);
}

PyObject* trace_next(PyObject* object, PyObject*) {
  TraceObject* self = opened(object);
  return self == nullptr ? nullptr : read_event(self, static_cast<Py_ssize_t>(self->position) + 1, true);
}

PyObject* trace_previous(PyObject* object, PyObject*) {
  TraceObject* self = opened(object);
  return self == nullptr ? nullptr : read_event(self, static_cast<Py_ssize_t>(self->position) - 1, true);
}

PyObject* trace_reset(PyObject* object, PyObject*) {
  TraceObject* self = opened(object);
  if (self == nullptr) return nullptr;
  if (self->core->adapter != nullptr) self->core->adapter->reset();
  self->position = 0;
  Py_RETURN_NONE;
}

PyObject* trace_position(PyObject* object, void*) {
  const TraceObject* self = opened(object);
  return self == nullptr ? nullptr : PyLong_FromUnsignedLongLong(self->position);
}

Py_ssize_t trace_length(PyObject* object) {
  TraceObject* self = opened(object);
  std::uint64_t count = 0;
  if (self == nullptr || !count_events(*self->core, count)) return -1;
  return static_cast<Py_ssize_t>(count);
}

PyObject* trace_item(PyObject* object, PyObject* number) {
  if (PySlice_Check(number)) return PyObject_CallMethod(object, "_slice", "O", number);
  Py_ssize_t at = 0;
  if (!event_number(number, at)) return nullptr;
  TraceObject* self = opened(object);
  PyObject* event = self == nullptr ? nullptr : read_event(self, at, false);
  if (event != Py_None) return event;
  Py_DECREF(event);
  const Py_ssize_t count = trace_length(object);
  if (count == 0)
    PyErr_Format(PyExc_IndexError, "there is no event %S; the trace is empty", number);
  else if (count > 0)
    PyErr_Format(PyExc_IndexError, "there is no event %S; events are 1 to %zd", number, count);
  return nullptr;
}

PyObject* trace_state(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  std::array<PyObject*, 1> given{};
  if (!take_arguments<1>("state", {"number"}, 0, arguments, count, keywords, given)) return nullptr;
  Py_ssize_t number = -1;
  if (given[0] != nullptr && given[0] != Py_None) {
    number = PyNumber_AsSsize_t(given[0], nullptr);  // may run Python code
    if (number == -1 && PyErr_Occurred() != nullptr) return nullptr;
    if (number < 0) number = PY_SSIZE_T_MAX;  // no such state
  }
  TraceObject* self = opened(object);
  if (self == nullptr) return nullptr;
  TraceCore& core = *self->core;
  const trace::Position at = number < 0 ? self->position : static_cast<trace::Position>(number);
  bool exists = at == 0 || (core.adapter == nullptr && at <= core.view->size());
  if (!exists && core.adapter != nullptr) {
    const auto event = core.adapter->fetch(at);
    if (!event) {
      set_error(event.error());
      return nullptr;
    }
    exists = event->has_value();
  }
  if (exists) return make_state(self->owner, core, at);
  const Py_ssize_t last = trace_length(object);
  if (last >= 0) PyErr_Format(PyExc_IndexError, "there is no state %S; states are 0 to %zd", given[0], last);
  return nullptr;
}

PyObject* trace_stack(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  std::array<PyObject*, 3> given{};
  if (!take_arguments<3>("stack", {"node", "sym", "thread"}, 1, arguments, count, keywords, given)) return nullptr;
  const int sym = truth_of(given[1]);
  TraceObject* self = sym < 0 ? nullptr : opened(object);
  return self == nullptr ? nullptr : region_stack(*self->core, self->position, given[0], sym != 0, given[2]);
}

PyObject* trace_queue(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  std::array<PyObject*, 2> given{};
  if (!take_arguments<2>("queue", {"dest", "src"}, 0, arguments, count, keywords, given)) return nullptr;
  TraceObject* self = opened(object);
  if (self == nullptr) return nullptr;
  return message_queue(*self->core, self->position, given[0] == nullptr ? Py_None : given[0],
                       given[1] == nullptr ? Py_None : given[1]);
}

int init(PyObject* object, PyObject* arguments, PyObject*) {
  TraceObject* self = trace_of(object);
  PyObject* core = PyTuple_GET_SIZE(arguments) == 1 ? PyTuple_GET_ITEM(arguments, 0) : Py_None;
  if (self->core != nullptr || !pybind11::isinstance<TraceCore>(core)) {
    PyErr_SetString(PyExc_TypeError, "traces are opened with mora.open()");
    return -1;
  }
  self->core = pybind11::cast<TraceCore*>(pybind11::handle(core));
  self->owner = Py_NewRef(core);
  return 0;
}

void deallocate_trace(PyObject* object) {
  Py_XDECREF(trace_of(object)->owner);
  Py_TYPE(object)->tp_free(object);
}

template <class Function>
PyCFunction with_keywords(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

PyMethodDef trace_methods[] = {
    {"get", with_keywords(trace_get), METH_FASTCALL | METH_KEYWORDS,
     "get($self, /, number, fetch_only=False)\n--\n\nEvent `number`, which becomes the read pointer unless "
     "`fetch_only`.\n\nReturns None, and leaves the pointer as it is, if there is no such event (EARL's -1). Raises "
     "TypeError if\n`number` is not an int."},
    {"next", trace_next, METH_NOARGS,
     "next($self, /)\n--\n\nThe event after the read pointer, which moves to it. None at the end; the pointer then "
     "stays."},
    {"prev", trace_previous, METH_NOARGS,
     "prev($self, /)\n--\n\nThe event before the read pointer, which moves to it. None at event 1 and before it; the "
     "pointer then stays."},
    {"reset", trace_reset, METH_NOARGS,
     "reset($self, /)\n--\n\nSet the read pointer to 0: before the first event, where the state is empty."},
    {"state", with_keywords(trace_state), METH_FASTCALL | METH_KEYWORDS,
     "state($self, /, number=None)\n--\n\nThe state after event `number` (0 … m; None: at the read pointer) as a "
     "mora.State.\n\nRaises IndexError if there is no such state."},
    {"stack", with_keywords(trace_stack), METH_FASTCALL | METH_KEYWORDS,
     "stack($self, /, node, sym=False, thread=0)\n--\n\nThe region stack of a node in the state at the read pointer; "
     "see State.stack()."},
    {"queue", with_keywords(trace_queue), METH_FASTCALL | METH_KEYWORDS,
     "queue($self, /, dest=None, src=None)\n--\n\nThe message queue in the state at the read pointer; see "
     "State.queue(). The destination comes first."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef trace_getters[] = {
    {"position", trace_position, nullptr,
     "int: the read pointer: number of the event read last, 0 at the beginning and after reset()", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef trace_members[] = {{"_core", T_OBJECT_EX, offsetof(TraceObject, owner), READONLY, nullptr},
                               {nullptr, 0, 0, 0, nullptr}};

PyMappingMethods trace_mapping = {trace_length, trace_item, nullptr};

}  // namespace

bool add_trace_type(PyObject* module) {
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&trace_base), 1);
  trace_base.tp_name = "mora._TraceBase";
  trace_base.tp_basicsize = sizeof(TraceObject);
  trace_base.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  trace_base.tp_new = PyType_GenericNew;
  trace_base.tp_init = init;
  trace_base.tp_dealloc = deallocate_trace;
  trace_base.tp_methods = trace_methods;
  trace_base.tp_getset = trace_getters;
  trace_base.tp_members = trace_members;
  trace_base.tp_as_mapping = &trace_mapping;
  if (PyType_Ready(&trace_base) != 0) return false;
  return PyModule_AddObjectRef(module, "TraceBase", reinterpret_cast<PyObject*>(&trace_base)) == 0;
}

}  // namespace mora::python
