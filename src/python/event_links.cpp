#include "python/event_links.h"

#include "python/event_type.h"

namespace mora::python {
namespace {

const char* short_name(Attribute pointer) {
  for (const AttributeName& name : attribute_names()) {
    if (name.attribute == pointer && name.as_event) return name.name;
  }
  return "?";
}

}  // namespace

PyObject* linked_event(const EventAt& event, Attribute pointer) {
  const trace::Position to = pointer_value(event, pointer);
  if (to == 0) Py_RETURN_NONE;
  return existing_event(event.core, to);
}

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

}  // namespace mora::python
