#include "python/event_links.h"

#include "python/event_type.h"
#include "python/event_values.h"

namespace mora::python {
namespace {

const char* short_name(Attribute pointer) {
  for (const AttributeName& name : attribute_names()) {
    if (name.attribute == pointer && name.as_event) return name.name;
  }
  return "?";
}

}  // namespace

PyObject* linked_event(TraceCore& core, trace::Position p, Attribute pointer) {
  const trace::Position to = pointer_value(*core.view, p, pointer);
  if (to == 0) Py_RETURN_NONE;
  return make_event(core, to);
}

PyObject* all_links(TraceCore& core, trace::Position p) {
  const trace::EarlType type = core.view->type(p);
  PyObject* links = PyDict_New();
  if (links == nullptr) return nullptr;
  for (const Attribute pointer : {Attribute::enterptr, backward_pointer(type), forward_pointer(type)}) {
    if (pointer == Attribute::none) continue;
    const trace::Position to = pointer_value(*core.view, p, pointer);
    if (to == 0) continue;
    PyObject* event = make_event(core, to);
    const int failed = event == nullptr ? -1 : PyDict_SetItemString(links, short_name(pointer), event);
    Py_XDECREF(event);
    if (failed != 0) {
      Py_DECREF(links);
      return nullptr;
    }
  }
  return links;
}

}  // namespace mora::python
