#include "python/event_values.h"

#include <cstring>

#include "trace/assertion.h"

namespace mora::python {
namespace {

using A = Attribute;
using T = trace::EarlType;

PyObject* type_names[trace::earl_type_count];

PyObject* number(std::uint64_t value) { return PyLong_FromUnsignedLongLong(value); }

PyObject* id_or_none(std::uint32_t id) {
  if (id == trace::no_id) Py_RETURN_NONE;
  return PyLong_FromUnsignedLong(id);
}

PyObject* pointer(trace::Position p) {
  if (p == 0) Py_RETURN_NONE;
  return PyLong_FromUnsignedLongLong(p);
}

PyObject* text(const std::string& value) {
  return PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "surrogateescape");
}

PyObject* call_site(const trace::View& view, trace::RegionId id) {
  const auto& regions = view.definitions().regions;
  if (id >= regions.size() || regions[id].call_site_file.empty()) Py_RETURN_NONE;
  const trace::Region& r = regions[id];
  return text(r.call_site_line == 0 ? r.call_site_file : r.call_site_file + ":" + std::to_string(r.call_site_line));
}

template <class Values, class Make>
PyObject* tuple_of(const Values& values, const Make& make) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
  if (tuple == nullptr) return nullptr;
  for (std::size_t i = 0; i < values.size(); ++i) {
    PyObject* item = make(values[i]);
    if (item == nullptr) {
      Py_DECREF(tuple);
      return nullptr;
    }
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), item);
  }
  return tuple;
}

PyObject* metric_value(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return PyFloat_FromDouble(value);
}

/// Everything that needs the whole event.
PyObject* detail_value(TraceCore& core, trace::Position p, Attribute attribute) {
  const trace::View& view = *core.view;
  const trace::ViewEvent e = view.event(p);
  const trace::Definitions& d = view.definitions();
  switch (attribute) {
    case A::ordinal:
      return number(e.ordinal);
    case A::src:
    case A::dest:
    case A::lloc:
      return id_or_none(e.peer);
    case A::tag:
      return PyLong_FromLong(e.tag);
    case A::com:
      return PyLong_FromLongLong(e.comm == trace::no_id ? -1 : static_cast<long long>(e.comm));
    case A::len:
      return number(e.type == T::put_1te || e.type == T::get_1te || e.type == T::atomic_1te ? e.received : e.bytes);
    case A::sent:
      return number(e.bytes);
    case A::recvd:
      return number(e.received);
    case A::root:
      return id_or_none(e.root);
    case A::collective:
      return PyUnicode_InternFromString(trace::to_string(e.collective));
    case A::win:
      return id_or_none(e.window);
    case A::members: {
      static const std::vector<std::uint32_t> unknown;
      const auto& members = e.group < d.groups.size() ? d.groups[e.group].members : unknown;
      return tuple_of(members, [](std::uint32_t rank) { return PyLong_FromUnsignedLong(rank); });
    }
    case A::synex:
      return PyBool_FromLong(e.synex);
    case A::assertion:
      return text(trace::assertion_text(e.assertion));
    case A::rmaid:
    case A::lockid:
    case A::request:
      return number(e.id);
    case A::lock:
      return PyUnicode_InternFromString(e.exclusive ? "exclusive" : "shared");
    case A::local:
      return PyBool_FromLong((view.detail(p)->flags & 4) != 0);
    case A::file:
      if (e.index >= d.files.size()) Py_RETURN_NONE;
      return text(d.files[e.index]);
    case A::metric:
      return text(e.index < d.metrics.size() ? d.metrics[e.index].name : "?");
    case A::value:
      return metric_value(e.id);
    case A::data:
      return core.string(e.id);
    default:
      PyErr_SetString(PyExc_SystemError, "an attribute without a value");
      return nullptr;
  }
}

}  // namespace

bool prepare_event_values() {
  for (std::size_t i = 0; i < trace::earl_type_count; ++i) {
    type_names[i] = PyUnicode_InternFromString(trace::to_string(static_cast<T>(i)));
    if (type_names[i] == nullptr) return false;
  }
  return true;
}

PyObject* model_type_name(trace::EarlType type) {
  PyObject* name = type_names[static_cast<std::size_t>(type)];
  Py_INCREF(name);
  return name;
}

PyObject* type_name(TraceCore& core, trace::Position p, trace::EarlType type) {
  if (type == T::user) return core.user_type(core.view->event(p).index);
  return model_type_name(type);
}

trace::Position pointer_value(const trace::View& view, trace::Position p, Attribute attribute) {
  if (attribute == A::enterptr) return view.enter(p);
  return attribute >= A::exitptr ? view.forward(p) : view.link(p);
}

PyObject* attribute_value(TraceCore& core, trace::Position p, trace::EarlType type, Attribute attribute) {
  const trace::View& view = *core.view;
  switch (attribute) {
    case A::num:
      return number(p);
    case A::node:
    case A::rank:
      return PyLong_FromUnsignedLong(core.rank(view.location(p)));
    case A::time:
      if (core.shift == 0) return PyFloat_FromDouble(static_cast<double>(view.time(p)) / 1e9);
      return PyFloat_FromDouble(seconds(view.time(p), core.shift));
    case A::time_ns:
      return exact_sum(view.time(p), core.shift);
    case A::type:
      return type_name(core, p, type);
    case A::thread:
      return PyLong_FromUnsignedLong(view.definitions().locations[view.location(p)].thread);
    case A::loc:
      return PyLong_FromUnsignedLong(view.location(p));
    case A::region:
      return core.region_name(view.region(p));
    case A::group:
      return core.region_group(view.region(p));
    case A::csite:
      return call_site(view, view.region(p));
    case A::call_path:
      return tuple_of(view.call_path(p), [&](trace::RegionId region) { return core.region_name(region); });
    default:
      break;
  }
  if (attribute == A::enterptr || attribute >= A::sendptr) return pointer(pointer_value(view, p, attribute));
  return detail_value(core, p, attribute);
}

}  // namespace mora::python
