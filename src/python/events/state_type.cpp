#include "python/events/state_type.h"

#include <structmember.h>

#include <cstddef>

#include "python/events/call_arguments.h"
#include "python/events/state_queries.h"

namespace mora::python {
namespace {

struct StateObject {
  PyObject_HEAD PyObject* owner;  ///< keeps the core
  TraceCore* core;
  unsigned long long number;
};

PyTypeObject state_base{};
PyTypeObject* state_class = nullptr;

StateObject* state_of(PyObject* object) { return reinterpret_cast<StateObject*>(object); }

PyObject* state_stack(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  std::array<PyObject*, 3> given{};
  if (!take_arguments<3>("stack", {"node", "sym", "thread"}, 1, arguments, count, keywords, given)) return nullptr;
  const int sym = truth_of(given[1]);
  if (sym < 0) return nullptr;
  return region_stack(*state_of(object)->core, state_of(object)->number, given[0], sym != 0, given[2]);
}

PyObject* state_queue(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
  std::array<PyObject*, 2> given{};
  if (!take_arguments<2>("queue", {"dest", "src"}, 0, arguments, count, keywords, given)) return nullptr;
  return message_queue(*state_of(object)->core, state_of(object)->number, given[0] == nullptr ? Py_None : given[0],
                       given[1] == nullptr ? Py_None : given[1]);
}

PyObject* refuse_pickle(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "states cannot be pickled: they belong to an open trace; pickle state.number and ask again");
  return nullptr;
}

void deallocate_state(PyObject* object) {
  Py_XDECREF(state_of(object)->owner);
  Py_TYPE(object)->tp_free(object);
}

PyMethodDef state_methods[] = {
    {"stack", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(state_stack)), METH_FASTCALL | METH_KEYWORDS,
     "stack($self, /, node, sym=False, thread=0)\n--\n\nThe region stack of a node: numbers of the ENTER events of all "
     "regions it is in, the innermost first.\n\n"
     "node    rank of the process\nsym     True: names of the regions (str) instead of numbers\n"
     "thread  which thread of the process"},
    {"queue", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(state_queue)), METH_FASTCALL | METH_KEYWORDS,
     "queue($self, /, dest=None, src=None)\n--\n\nThe message queue: numbers of the SEND events whose messages are not "
     "received yet, the last first.\n\n"
     "dest  only messages to this rank\nsrc   only messages from this rank (the destination comes first, as in EARL)"},
    {"__reduce__", refuse_pickle, METH_NOARGS, "States cannot be pickled: TypeError."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef state_members[] = {{"_core", T_OBJECT_EX, offsetof(StateObject, owner), READONLY, nullptr},
                               {"number", T_ULONGLONG, offsetof(StateObject, number), READONLY,
                                "int: the event after which this is the state; 0 before the first"},
                               {nullptr, 0, 0, 0, nullptr}};

}  // namespace

bool add_state_type(PyObject* module) {
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&state_base), 1);
  state_base.tp_name = "mora._StateBase";
  state_base.tp_basicsize = sizeof(StateObject);
  state_base.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  state_base.tp_dealloc = deallocate_state;
  state_base.tp_methods = state_methods;
  state_base.tp_members = state_members;
  if (PyType_Ready(&state_base) != 0) return false;
  return PyModule_AddObjectRef(module, "StateBase", reinterpret_cast<PyObject*>(&state_base)) == 0;
}

void set_state_class(PyObject* type) { state_class = reinterpret_cast<PyTypeObject*>(Py_NewRef(type)); }

PyObject* make_state(PyObject* owner, TraceCore& core, trace::Position at) {
  PyObject* object = state_class->tp_alloc(state_class, 0);
  if (object == nullptr) return nullptr;
  StateObject* self = state_of(object);
  self->owner = Py_NewRef(owner);
  self->core = &core;
  self->number = at;
  return object;
}

}  // namespace mora::python
