// mora.Event.
//
// An event is 40 bytes: Python's header, the trace, the number. Nothing is decoded before it is asked for. What makes
// the loop fast: objects come from a list of freed ones; attributes are descriptors of the type, which Python's cache
// of types finds, and methods are called without an object in between; names of types and regions are made once. Events
// do not take part in garbage collection: they hold a TraceCore, which holds no Python containers.

#include "python/events/event_type.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "python/events/event_values.h"
#include "python/events/selection.h"
#include "python/trace/errors.h"

namespace mora::python {
namespace {

struct EventObject {
  PyObject_HEAD TraceCore* core;
  trace::Position num;
  trace::ViewEvent* decoded;  ///< its own; null if the trace has an index

  EventAt at() const { return {*core, num, decoded}; }
};

PyTypeObject event_type{};

// Freed events, linked through their `core`.
constexpr int free_events_at_most = 1024;
EventObject* free_events = nullptr;
int free_event_count = 0;

PyObject* repr_function = nullptr;
PyObject* str_function = nullptr;
PyObject* html_function = nullptr;

EventObject* self_of(PyObject* object) { return reinterpret_cast<EventObject*>(object); }

// --- tables, made once ---

PyObject* attribute_numbers = nullptr;  // dict: name to index in attribute_names()
std::array<std::uint64_t, trace::earl_type_count> attributes_of_type;
static_assert(static_cast<int>(Attribute::none) < 64);
std::array<PyObject*, static_cast<std::size_t>(Attribute::none)> name_objects;  // the first name of each
std::array<PyObject*, trace::earl_type_count> dict_of_type;                     // attributes() of a type, all None

bool fill_tables() {
  attribute_numbers = PyDict_New();
  if (attribute_numbers == nullptr) return false;
  for (std::size_t i = 0; i < attribute_names().size(); ++i) {
    const AttributeName& attribute = attribute_names()[i];
    PyObject* name = PyUnicode_InternFromString(attribute.name);  // never freed
    PyObject* number = PyLong_FromSize_t(i);
    if (name == nullptr || number == nullptr || PyDict_SetItem(attribute_numbers, name, number) != 0) return false;
    Py_DECREF(number);
    PyObject*& first = name_objects[static_cast<std::size_t>(attribute.attribute)];
    if (first == nullptr) first = name;
  }
  for (std::size_t t = 0; t < trace::earl_type_count; ++t) {
    for (int a = 0; a < static_cast<int>(Attribute::none); ++a) {
      if (has_attribute(static_cast<trace::EarlType>(t), static_cast<Attribute>(a)))
        attributes_of_type[t] |= std::uint64_t{1} << a;
    }
    dict_of_type[t] = PyDict_New();
    if (dict_of_type[t] == nullptr) return false;
    for (const std::span<const Attribute> list :
         {std::span<const Attribute>(base_attributes), own_attributes(static_cast<trace::EarlType>(t))}) {
      for (const Attribute a : list) {
        if (PyDict_SetItem(dict_of_type[t], name_objects[static_cast<std::size_t>(a)], Py_None) != 0) return false;
      }
    }
  }
  return true;
}

/// Null if there is none of that name.
const AttributeName* find_attribute(PyObject* name) {
  PyObject* number = PyUnicode_CheckExact(name) ? PyDict_GetItem(attribute_numbers, name) : nullptr;
  return number == nullptr ? nullptr : &attribute_names()[PyLong_AsSize_t(number)];
}

bool has(trace::EarlType type, Attribute attribute) {
  return (attributes_of_type[static_cast<std::size_t>(type)] >> static_cast<int>(attribute) & 1) != 0;
}

std::string names_of(trace::EarlType type) {
  std::string names;
  for (const Attribute a : base_attributes) names += fmt::format("{}, ", name_of(a));
  for (const Attribute a : own_attributes(type)) names += fmt::format("{}, ", name_of(a));
  if (has(type, Attribute::csite)) names += "csite, ";
  if (const Attribute a = forward_pointer(type); a != Attribute::none) names += fmt::format("{}, ", name_of(a));
  return names.substr(0, names.size() - 2);
}

/// `value`, or null with a Python error if it was read from an index that is damaged beyond repair.
PyObject* if_intact(const TraceCore& core, PyObject* value) {
  if (value != nullptr && !core.check_intact()) Py_CLEAR(value);
  return value;
}

// --- links ---

/// "send" of sendptr.
const char* short_name(Attribute pointer) {
  for (const AttributeName& name : attribute_names()) {
    if (name.attribute == pointer && name.as_event) return name.name;
  }
  return "?";
}

/// The event of a pointer, or None for a null pointer.
PyObject* linked_event(const EventAt& event, Attribute pointer) {
  const trace::Position to = pointer_value(event, pointer);
  if (to == 0) Py_RETURN_NONE;
  return existing_event(event.core, to);
}

/// Short name to event, for all pointers that are not null.
PyObject* all_links(const EventAt& event) {
  const trace::EarlType type = event.type();
  PyObject* links = PyDict_New();
  if (links == nullptr) return nullptr;
  for (const Attribute pointer : {Attribute::enterptr, backward_pointer(type), forward_pointer(type)}) {
    if (pointer == Attribute::none) continue;
    if (pointer_value(event, pointer) == 0) continue;
    PyObject* linked = linked_event(event, pointer);
    const int failed = linked == nullptr ? -1 : PyDict_SetItemString(links, short_name(pointer), linked);
    Py_XDECREF(linked);
    if (failed != 0) {
      Py_DECREF(links);
      return nullptr;
    }
  }
  return links;
}

/// The value, or null with an AttributeError that says what there is.
PyObject* attribute_value(EventObject* self, const AttributeName& name) {
  if (!self->core->check_open()) return nullptr;
  const EventAt event = self->at();
  const trace::EarlType type = event.type();
  if (!has(type, name.attribute)) {
    PyErr_Format(PyExc_AttributeError, "event %llu (%s) has no '%s'; it has %s",
                 static_cast<unsigned long long>(self->num), trace::to_string(type), name.name, names_of(type).c_str());
    return nullptr;
  }
  return if_intact(*self->core,
                   name.as_event ? linked_event(event, name.attribute) : attribute_value(event, type, name.attribute));
}

PyObject* get_by_closure(PyObject* object, void* closure) {
  return attribute_value(self_of(object), *static_cast<const AttributeName*>(closure));
}

PyObject* get_links(PyObject* object, void*) {
  if (!self_of(object)->core->check_open()) return nullptr;
  return if_intact(*self_of(object)->core, all_links(self_of(object)->at()));
}

PyObject* get_trace(PyObject* object, void*) {
  PyObject* owner = self_of(object)->core->owner;
  PyObject* trace = owner == nullptr ? Py_None : PyWeakref_GetObject(owner);
  Py_INCREF(trace);
  return trace;
}

// --- methods ---

PyObject* attributes(PyObject* object, PyObject*) {
  EventObject* self = self_of(object);
  if (!self->core->check_open()) return nullptr;
  const trace::ViewEvent all = self->at().all();
  const EventAt event{*self->core, self->num, &all};
  PyObject* result = PyDict_Copy(dict_of_type[static_cast<std::size_t>(all.type)]);  // its keys in their order
  if (result == nullptr) return nullptr;
  const auto add = [&](std::span<const Attribute> list) {
    for (const Attribute a : list) {
      PyObject* value = attribute_value(event, all.type, a);
      const int failed =
          value == nullptr ? -1 : PyDict_SetItem(result, name_objects[static_cast<std::size_t>(a)], value);
      Py_XDECREF(value);
      if (failed != 0) return false;
    }
    return true;
  };
  if (!add(base_attributes) || !add(own_attributes(all.type))) Py_CLEAR(result);
  return if_intact(*self->core, result);
}

PyObject* get(PyObject* object, PyObject* const* arguments, Py_ssize_t count) {
  if (count < 1 || count > 2) {
    PyErr_SetString(PyExc_TypeError, "get(name, default=None) takes one or two arguments");
    return nullptr;
  }
  EventObject* self = self_of(object);
  if (!self->core->check_open()) return nullptr;
  if (!PyUnicode_Check(arguments[0])) {
    PyErr_Format(PyExc_TypeError, "the name of an attribute is a str, not %s", Py_TYPE(arguments[0])->tp_name);
    return nullptr;
  }
  const AttributeName* name = find_attribute(arguments[0]);
  if (name != nullptr && has(self->at().type(), name->attribute)) return attribute_value(self, *name);
  PyObject* otherwise = count == 2 ? arguments[1] : Py_None;
  Py_INCREF(otherwise);
  return otherwise;
}

PyObject* is_a(PyObject* object, PyObject* kinds) {
  EventObject* self = self_of(object);
  if (!self->core->check_open()) return nullptr;
  if (kinds == Py_None) Py_RETURN_TRUE;
  const KindSet* set = kinds_of(*self->core, kinds);
  if (set == nullptr || !self->core->check_open()) return nullptr;
  return if_intact(*self->core, PyBool_FromLong(is_of(self->at(), *set)));
}

PyObject* reduce(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "events cannot be pickled: they belong to an open trace; pickle event.attributes() instead");
  return nullptr;
}

PyObject* same(PyObject* object, PyObject*) {
  Py_INCREF(object);
  return object;
}

PyObject* call_display(PyObject* function, PyObject* object) {
  if (function == nullptr || self_of(object)->core->closed())
    return PyUnicode_FromFormat("<mora.Event %llu of %s>", static_cast<unsigned long long>(self_of(object)->num),
                                self_of(object)->core->closed() ? "a closed trace" : "a trace");
  return PyObject_CallOneArg(function, object);
}

PyObject* repr(PyObject* object) { return call_display(repr_function, object); }
PyObject* str(PyObject* object) { return call_display(str_function, object); }
PyObject* html(PyObject* object, PyObject*) { return call_display(html_function, object); }

PyObject* directory(PyObject* object, PyObject*) {
  EventObject* self = self_of(object);
  PyObject* all = PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__dir__", "O", object);
  if (all == nullptr || self->core->closed()) return all;
  const trace::EarlType type = self->at().type();
  PyObject* result = PyList_New(0);
  for (Py_ssize_t i = 0; result != nullptr && i < PyList_GET_SIZE(all); ++i) {
    const AttributeName* name = find_attribute(PyList_GET_ITEM(all, i));
    if (name != nullptr && !has(type, name->attribute)) continue;
    if (PyList_Append(result, PyList_GET_ITEM(all, i)) != 0) Py_CLEAR(result);
  }
  Py_DECREF(all);
  return result;
}

// --- life and comparison ---

void deallocate(PyObject* object) {
  EventObject* self = self_of(object);
  self->core->release();
  delete self->decoded;
  if (free_event_count < free_events_at_most) {
    self->core = reinterpret_cast<TraceCore*>(free_events);
    free_events = self;
    ++free_event_count;
    return;
  }
  PyObject_Free(object);
}

Py_hash_t hash(PyObject* object) { return static_cast<Py_hash_t>(self_of(object)->num); }

PyObject* compare(PyObject* left, PyObject* right, int operation) {
  if (!is_event(left) || !is_event(right)) Py_RETURN_NOTIMPLEMENTED;
  const EventObject* a = self_of(left);
  const EventObject* b = self_of(right);
  if (a->core != b->core) {
    if (operation == Py_EQ) Py_RETURN_FALSE;
    if (operation == Py_NE) Py_RETURN_TRUE;
    Py_RETURN_NOTIMPLEMENTED;  // events of two traces have no order
  }
  Py_RETURN_RICHCOMPARE(a->num, b->num, operation);
}

PyMethodDef methods[] = {
    {"attributes", attributes, METH_NOARGS,
     "attributes($self, /)\n--\n\nA dict of all attributes of the event's type by name, in the order of EARL's table "
     "4.1: num, node, "
     "time,\n"
     "type, enterptr, then the type's own; pointers that are null are None."},
    {"get", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(get)), METH_FASTCALL,
     "get($self, name, default=None, /)\n--\n\nThe attribute, or `default` if events of this type do not have it."},
    {"is_a", is_a, METH_O,
     "is_a($self, kinds, /)\n--\n\nWhether the event is of a type, or of a class of types, of these names: "
     "event.is_a('EXIT') is\n"
     "true of every way to leave a region. Names as for Trace.events(). Raises mora.UsageError for an unknown name."},
    {"_repr_html_", html, METH_NOARGS, "HTML for notebooks."},
    {"__reduce__", reduce, METH_NOARGS, "Events cannot be pickled: TypeError."},
    {"__copy__", same, METH_NOARGS, "Events never change: a copy is the event itself."},
    {"__deepcopy__", same, METH_O, "Events never change: a copy is the event itself."},
    {"__dir__", directory, METH_NOARGS, "What events of this type have."},
    {nullptr, nullptr, 0, nullptr}};

std::vector<PyGetSetDef>& getters() {
  static std::vector<PyGetSetDef> list;
  return list;
}

constexpr const char* doc =
    "One event of a trace: immutable, a number and its trace; attributes are read when asked for.\n\n"
    "Which attributes there are depends on the type (table in the user guide, docs/user/python.md); reading one that "
    "the\n"
    "type does not have raises AttributeError, naming the type and what it has. Pointers (…ptr) are numbers of events, "
    "None\n"
    "if null; the same name without `ptr` is the event itself. Events hash and compare by their number; events of "
    "different\n"
    "traces are never equal. After close() of the trace every attribute raises mora.ClosedError.\n\n"
    "    for event in trace.events('RECV'):\n"
    "        late = event.send.time - event.enter.time\n";

}  // namespace

bool is_event(PyObject* object) { return Py_TYPE(object) == &event_type; }

EventAt event_at(PyObject* event) { return self_of(event)->at(); }

PyObject* make_event(TraceCore& core, trace::Position p) {
  EventObject* self = free_events;
  if (self != nullptr) {
    free_events = reinterpret_cast<EventObject*>(self->core);
    --free_event_count;
    PyObject_Init(reinterpret_cast<PyObject*>(self), &event_type);
  } else {
    self = PyObject_New(EventObject, &event_type);
    if (self == nullptr) return nullptr;
  }
  core.retain();
  self->core = &core;
  self->num = p;
  self->decoded = nullptr;
  return reinterpret_cast<PyObject*>(self);
}

PyObject* make_event(TraceCore& core, trace::Position p, const trace::ViewEvent& decoded) {
  PyObject* event = make_event(core, p);
  if (event != nullptr) self_of(event)->decoded = new trace::ViewEvent(decoded);
  return event;
}

PyObject* existing_event(TraceCore& core, trace::Position p) {
  if (core.adapter == nullptr) return make_event(core, p);
  const auto decoded = fetch(core, p);
  return decoded ? make_event(core, p, *decoded) : nullptr;
}

void set_event_display(PyObject* repr_of, PyObject* str_of, PyObject* html_of) {
  for (auto [slot, function] :
       {std::pair{&repr_function, repr_of}, {&str_function, str_of}, {&html_function, html_of}}) {
    Py_INCREF(function);
    Py_XSETREF(*slot, function);
  }
}

bool add_event_type(PyObject* module) {
  if (!prepare_event_values() || !fill_tables()) return false;
  auto& list = getters();
  for (const AttributeName& name : attribute_names())
    list.push_back({name.name, get_by_closure, nullptr, name.doc, const_cast<AttributeName*>(&name)});
  list.push_back(
      {"links", get_links, nullptr,
       "dict of str to Event: all events that this one points to, backward and forward, by the names of the\n"
       "attributes that hold them (enter, send, start, origin, exit, recv, end, …); null pointers are left out",
       nullptr});
  list.push_back(
      {"trace", get_trace, nullptr, "Trace or None: where the event comes from, if it still exists", nullptr});
  list.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&event_type), 1);
  event_type.tp_name = "mora.Event";
  event_type.tp_basicsize = sizeof(EventObject);
  event_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  event_type.tp_doc = doc;
  event_type.tp_dealloc = deallocate;
  event_type.tp_hash = hash;
  event_type.tp_richcompare = compare;
  event_type.tp_repr = repr;
  event_type.tp_str = str;
  event_type.tp_methods = methods;
  event_type.tp_getset = list.data();
  if (PyType_Ready(&event_type) != 0) return false;
  return PyModule_AddObjectRef(module, "Event", reinterpret_cast<PyObject*>(&event_type)) == 0;
}

}  // namespace mora::python
