// mora.EventIterator. A selection of one location walks along that location's own list of events; everything else walks
// the numbers and skips. Every million events the interpreter may act on signals, so that Ctrl-C works in a search
// without a hit, and the index may drop pages of events long passed, so that a walk needs no memory in proportion to
// the trace.

#include "python/events/event_iterator.h"

#include <algorithm>
#include <new>

#include "python/events/event_type.h"
#include "python/trace/errors.h"

namespace mora::python {
namespace {

struct IteratorObject {
  PyObject_HEAD TraceCore* core;
  Selection* selection;
  std::uint64_t next;  ///< how many steps are done
  std::uint64_t count;
  std::uint64_t first_on;  ///< index in the location's list, if only one is wanted
  bool reverse;
};

constexpr std::uint64_t steps_between_pauses = 1 << 20;

PyTypeObject iterator_type{};

IteratorObject* iterator_of(PyObject* object) { return reinterpret_cast<IteratorObject*>(object); }

trace::Position position_at(const IteratorObject& self, const trace::View& view) {
  const std::uint64_t step = self.reverse ? self.count - 1 - self.next : self.next;
  if (self.selection->only != trace::no_id) return view.nth_on(self.selection->only, self.first_on + step);
  return self.selection->first + step;
}

/// Signals are acted on; memory of events long passed is given back. False with a Python error.
bool pause(const IteratorObject& self, trace::Position p) {
  if (PyErr_CheckSignals() != 0 || !self.core->check_open()) return false;  // a signal handler may have closed it
  if (!self.reverse && p > steps_between_pauses) self.core->view->forget_before(p - steps_between_pauses);
  return true;
}

/// Without index: every event is fetched, and what is chosen is found out then.
PyObject* next_fetched(IteratorObject& self) {
  const Selection& s = *self.selection;
  while (self.next < self.count) {
    const trace::Position p = self.reverse ? self.count - self.next : self.next + 1;
    ++self.next;
    const auto event = self.core->adapter->fetch(p);
    if (!event) {
      set_error(event.error());
      return nullptr;
    }
    if (!*event || (!self.reverse && (*event)->time > s.to)) {
      self.next = self.count;
      return nullptr;
    }
    const EventAt at{*self.core, p, &**event};
    if (s.accepts_type(at) && (s.locations.empty() || s.locations[at.location()] != 0) && at.time() >= s.from &&
        at.time() <= s.to)
      return make_event(*self.core, p, **event);
    if ((self.next & 0xFFFF) == 0 && (PyErr_CheckSignals() != 0 || !self.core->check_open())) return nullptr;
  }
  return nullptr;
}

PyObject* next(PyObject* object) {
  IteratorObject& self = *iterator_of(object);
  if (self.next >= self.count) return nullptr;
  if (!self.core->check_open()) return nullptr;
  if (self.core->adapter != nullptr) return next_fetched(self);
  const trace::View* view = self.core->view;
  const Selection& s = *self.selection;
  const bool any_location = s.locations.empty() || s.only != trace::no_id;
  while (self.next < self.count) {
    const trace::Position p = position_at(self, *view);
    ++self.next;
    if (self.next % steps_between_pauses == 0 && !pause(self, p)) return nullptr;
    if (s.accepts_type(*view, p) && (any_location || s.accepts_location(*view, p))) return make_event(*self.core, p);
  }
  self.core->check_intact();
  return nullptr;
}

PyObject* refuse_to_pickle(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "iterators over events cannot be pickled: they belong to an open trace; ask Trace.events() again");
  return nullptr;
}

PyMethodDef iterator_methods[] = {
    {"__reduce__", refuse_to_pickle, METH_NOARGS, "Iterators cannot be pickled: TypeError."},
    {nullptr, nullptr, 0, nullptr}};

PyObject* self_again(PyObject* object) {
  Py_INCREF(object);
  return object;
}

void deallocate_iterator(PyObject* object) {
  IteratorObject& self = *iterator_of(object);
  delete self.selection;
  self.core->release();
  PyObject_Free(object);
}

/// First index in the location's list whose position is >= p.
std::uint64_t first_at_or_after(const trace::View& view, trace::LocationId location, trace::Position p) {
  std::uint64_t low = 0, high = view.count_on(location);
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (view.nth_on(location, middle) < p)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace

PyObject* make_event_iterator(TraceCore& core, Selection selection, bool reverse) {
  std::uint64_t count = 0, first_on = 0;
  if (core.adapter != nullptr) {
    count = UINT64_MAX;
    if (reverse && !count_events(core, count)) return nullptr;
  } else if (selection.last >= selection.first && selection.last > 0) {
    if (selection.only != trace::no_id) {
      first_on = first_at_or_after(*core.view, selection.only, selection.first);
      count = first_at_or_after(*core.view, selection.only, selection.last + 1) - first_on;
    } else {
      count = selection.last - selection.first + 1;
    }
  }
  auto* self = PyObject_New(IteratorObject, &iterator_type);
  if (self == nullptr) return nullptr;
  self->selection = new Selection(std::move(selection));
  core.retain();
  self->core = &core;
  self->next = 0;
  self->count = count;
  self->first_on = first_on;
  self->reverse = reverse;
  return reinterpret_cast<PyObject*>(self);
}

bool add_event_iterator_type(PyObject* module) {
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&iterator_type), 1);
  iterator_type.tp_name = "mora.EventIterator";
  iterator_type.tp_basicsize = sizeof(IteratorObject);
  iterator_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  iterator_type.tp_doc =
      "Events of a trace one after the other; made by Trace.events(). Raises mora.ClosedError once the trace is "
      "closed.";
  iterator_type.tp_dealloc = deallocate_iterator;
  iterator_type.tp_iter = self_again;
  iterator_type.tp_iternext = next;
  iterator_type.tp_methods = iterator_methods;
  if (PyType_Ready(&iterator_type) != 0) return false;
  return PyModule_AddObjectRef(module, "EventIterator", reinterpret_cast<PyObject*>(&iterator_type)) == 0;
}

}  // namespace mora::python
