#include "python/events/event_values.h"

#include <algorithm>

#include "python/events/type_names.h"
#include "python/trace/errors.h"
#include "python/trace/text.h"
#include "trace/assertion.h"
#include "trace/metrics/metric_value.h"

namespace mora::python {
namespace {

using A = Attribute;
using T = trace::EarlType;

PyObject* collective_names[mpi::collective_count];

PyObject* number(std::uint64_t value) { return PyLong_FromUnsignedLongLong(value); }

PyObject* id_or_none(std::uint32_t id) {
  if (id == trace::no_id) Py_RETURN_NONE;
  return PyLong_FromUnsignedLong(id);
}

PyObject* pointer(trace::Position p) {
  if (p == 0) Py_RETURN_NONE;
  return PyLong_FromUnsignedLongLong(p);
}

PyObject* call_site(const trace::Definitions& definitions, trace::RegionId id) {
  const auto& regions = definitions.regions;
  if (id >= regions.size() || regions[id].call_site_file.empty()) Py_RETURN_NONE;
  const trace::Region& r = regions[id];
  return new_text(r.call_site_line == 0 ? r.call_site_file : r.call_site_file + ":" + std::to_string(r.call_site_line));
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

/// Everything that needs the whole event.
PyObject* detail_value(const EventAt& event, Attribute attribute) {
  const trace::ViewEvent e = event.all();
  const trace::Definitions& d = *event.core.definitions;
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
      return Py_NewRef(collective_names[static_cast<std::size_t>(e.collective)]);
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
      return new_text(trace::assertion_text(e.assertion));
    case A::rmaid:
    case A::lockid:
    case A::request:
      return number(e.id);
    case A::lock:
      return PyUnicode_InternFromString(e.exclusive ? "exclusive" : "shared");
    case A::local:
      return PyBool_FromLong(e.local);
    case A::file:
      if (e.index >= d.files.size()) Py_RETURN_NONE;
      return new_text(d.files[e.index]);
    case A::metric:
      return new_text(e.index < d.metrics.size() ? d.metrics[e.index].name : "?");
    case A::value:
      return PyFloat_FromDouble(trace::metric_value_of(e).number());
    case A::function:
      if (e.index >= d.callers.size()) return new_text("?");
      return event.core.region_name(d.callers[e.index].region);
    case A::data:
      return event.core.string(e.id);
    default:
      PyErr_SetString(PyExc_SystemError, "an attribute without a value");
      return nullptr;
  }
}

/// The functions that calls were made through are no events; they stand in front of the outermost MPI call.
void add_functions(const trace::Definitions& definitions, std::vector<trace::RegionId>& path) {
  const auto is_call = [&](trace::RegionId region) {
    return region < definitions.regions.size() && definitions.regions[region].kind == trace::RegionKind::mpi;
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!is_call(path[i])) continue;
    const auto functions = definitions.call_path(path[i]);
    path.insert(path.begin() + static_cast<std::ptrdiff_t>(i), functions.begin(), functions.end());
    return;
  }
}

/// Regions from the outermost. False with a Python error.
bool call_path(const EventAt& event, std::vector<trace::RegionId>& path) {
  if (event.decoded == nullptr) {
    path = event.core.view->call_path(event.p);
    return true;
  }
  if (event.type() == T::enter) path.push_back(event.region());
  for (trace::Position at = event.enter(); at != 0;) {
    const auto enter = fetch(event.core, at);
    if (!enter) return false;
    path.push_back(enter->region);
    at = enter->enter;
  }
  std::reverse(path.begin(), path.end());
  return true;
}

}  // namespace

std::optional<trace::ViewEvent> fetch(TraceCore& core, trace::Position p) {
  auto event = core.adapter->fetch(p);
  if (!event) {
    set_error(event.error());
    return {};
  }
  if (!*event) PyErr_SetString(PyExc_SystemError, "a pointer leads to no event");
  return *event;
}

bool count_events(TraceCore& core, std::uint64_t& count) {
  if (core.adapter == nullptr) {
    count = core.view->size();
    return true;
  }
  if (!core.adapter->size()) {
    if (auto none = core.adapter->fetch(UINT64_MAX); !none) {
      set_error(none.error());
      return false;
    }
  }
  count = core.adapter->size().value_or(0);
  return true;
}

bool prepare_event_values() {
  for (std::size_t i = 0; i < mpi::collective_count; ++i) {
    collective_names[i] = PyUnicode_InternFromString(mpi::to_string(static_cast<mpi::Collective>(i)));
    if (collective_names[i] == nullptr) return false;
  }
  return prepare_type_names();
}

trace::Position pointer_value(const EventAt& event, Attribute attribute) {
  if (attribute == A::enterptr) return event.enter();
  return attribute >= A::exitptr ? event.forward() : event.link();
}

PyObject* attribute_value(const EventAt& event, trace::EarlType type, Attribute attribute) {
  TraceCore& core = event.core;
  switch (attribute) {
    case A::num:
      return number(event.p);
    case A::node:
    case A::rank:
      return PyLong_FromUnsignedLong(core.rank(event.location()));
    case A::time:
      if (core.shift() == 0) return PyFloat_FromDouble(static_cast<double>(event.time()) / 1e9);
      return PyFloat_FromDouble(seconds(event.time(), core.shift()));
    case A::time_ns:
      return exact_sum(event.time(), core.shift());
    case A::type:
      return type == T::user ? core.user_type(event.all().index) : spoken_type_name(type);
    case A::is_enter:
      return PyBool_FromLong(type == T::enter);
    case A::is_exit:
      return PyBool_FromLong(trace::is_exit(type));
    case A::thread:
      return PyLong_FromUnsignedLong(core.definitions->locations[event.location()].thread);
    case A::loc:
      return PyLong_FromUnsignedLong(event.location());
    case A::region:
      return core.region_name(event.region());
    case A::group:
      return core.region_group(event.region());
    case A::csite:
      return call_site(*core.definitions, event.region());
    case A::call_path: {
      std::vector<trace::RegionId> path;
      if (!call_path(event, path)) return nullptr;
      if (type == T::sample) {
        const auto functions = core.definitions->functions_to(event.all().index);
        path.insert(path.end(), functions.begin(), functions.end());
      } else {
        add_functions(*core.definitions, path);
      }
      return tuple_of(path, [&](trace::RegionId region) { return core.region_name(region); });
    }
    default:
      break;
  }
  if (attribute == A::enterptr || attribute >= A::sendptr) return pointer(pointer_value(event, attribute));
  return detail_value(event, attribute);
}

}  // namespace mora::python
