#include "python/events/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "python/trace/errors.h"

namespace py = pybind11;

namespace mora::python {
namespace {

using T = trace::EarlType;

constexpr std::uint32_t bit(T type) { return std::uint32_t{1} << static_cast<unsigned>(type); }

struct EventClass {
  const char* name;
  std::uint32_t types;
};

constexpr std::uint32_t exits =
    bit(T::exit) | bit(T::mpicexit) | bit(T::mpiwcexit) | bit(T::mpiwexit) | bit(T::ompcexit);
constexpr std::uint32_t rma_comm = bit(T::put_1ts) | bit(T::put_1te) | bit(T::get_1to) | bit(T::get_1ts) |
                                   bit(T::get_1te) | bit(T::atomic_1ts) | bit(T::atomic_1te);
constexpr std::uint32_t rma_sync = bit(T::wlock) | bit(T::wunlock) | bit(T::wflush);

/// KOJAK's classes of events (Hermanns 2004, 5.4), with the types that Mora adds.
constexpr EventClass classes[] = {
    {"EXIT", exits},
    {"FLOW", exits | bit(T::enter)},
    {"P2P", bit(T::send) | bit(T::recv)},
    {"TEAM", bit(T::fork) | bit(T::join)},
    {"SYNC", bit(T::alock) | bit(T::rlock)},
    {"RMA", rma_comm | rma_sync},
    {"RMA_COMM", rma_comm},
    {"RMA_SYNC", rma_sync},
    {"NBC", bit(T::nbc_start) | bit(T::nbc_end)},
    {"IO", bit(T::io_start) | bit(T::io_end)},
};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string known_kinds(const trace::Definitions& definitions) {
  std::string names;
  for (std::size_t i = 0; i < trace::earl_type_count; ++i)
    names += fmt::format("{}, ", trace::to_string(static_cast<T>(i)));
  for (const EventClass& c : classes) {
    if (c.types != exits) names += fmt::format("{}, ", c.name);
  }
  for (const std::string& name : definitions.user_types) names += fmt::format("{}, ", name);
  return names.substr(0, names.size() - 2);
}

bool add_kind(const trace::Definitions& definitions, const std::string& name, KindSet& set) {
  const bool exactly = !name.empty() && name[0] == '=';
  const std::string wanted = upper(exactly ? name.substr(1) : name);
  bool known = false;
  for (const EventClass& c : classes) {
    if (exactly || wanted != c.name) continue;
    set.types |= c.types;
    known = true;
  }
  for (std::size_t i = 0; i < trace::earl_type_count; ++i) {
    if (wanted != trace::to_string(static_cast<T>(i))) continue;
    set.types |= bit(static_cast<T>(i));
    known = true;
  }
  for (std::uint32_t i = 0; i < definitions.user_types.size(); ++i) {
    if (wanted != upper(definitions.user_types[i])) continue;
    set.user_types.push_back(i);
    known = true;
  }
  if (!known)
    set_usage_error("there is no kind of event '" + name + "'", "", "known kinds: " + known_kinds(definitions));
  return known;
}

bool wrong_type(const char* what, PyObject* got) {
  PyErr_Format(PyExc_TypeError, "%s, not %s", what, Py_TYPE(got)->tp_name);
  return false;
}

bool add_rank(const trace::Definitions& definitions, PyObject* object, Selection& selection) {
  if (!PyIndex_Check(object)) return wrong_type("ranks are ints", object);
  const Py_ssize_t rank = PyNumber_AsSsize_t(object, nullptr);
  bool known = false;
  for (std::size_t i = 0; i < definitions.locations.size(); ++i) {
    if (rank < 0 || definitions.locations[i].rank != static_cast<std::uint64_t>(rank)) continue;
    selection.locations[i] = 1;
    known = true;
  }
  if (!known)
    set_usage_error(fmt::format("there is no rank {} in the trace", rank), "",
                    fmt::format("its ranks are 0 to {}", definitions.world_size == 0 ? 0 : definitions.world_size - 1));
  return known;
}

/// Seconds to nanoseconds of the view; false with a Python error. `none` for None.
bool bound(const TraceCore& core, PyObject* object, Nanoseconds none, Nanoseconds& ns) {
  ns = none;
  if (object == Py_None) return true;
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred())
    return wrong_type("the bounds of `between` are seconds (float) or None", object);
  if (std::isnan(value)) {
    set_usage_error("a bound of `between` is not a number");
    return false;
  }
  // Seconds in long double keep 64 bits: every float that event.time can be comes back as its nanosecond.
  const long double scaled =
      std::round(static_cast<long double>(value) * 1e9L) - static_cast<long double>(core.shift());
  constexpr auto largest = static_cast<long double>(INT64_MAX);
  ns = scaled >= largest ? INT64_MAX : scaled <= -largest ? INT64_MIN : static_cast<Nanoseconds>(scaled);
  return true;
}

}  // namespace

bool Selection::is_wanted_user(const trace::View& view, trace::Position p) const {
  return std::binary_search(kinds.user_types.begin(), kinds.user_types.end(), view.detail(p)->kind);
}

const KindSet* kinds_of(TraceCore& core, PyObject* kinds) {
  if (const KindSet* known = core.kinds.find(kinds)) return known;
  const std::shared_ptr<OpenedTrace> held = core.opened;  // an iterable may close the trace
  const trace::Definitions& definitions = *core.definitions;
  KindSet set;
  bool lasting = PyUnicode_CheckExact(kinds) || PyTuple_CheckExact(kinds);
  const auto add = [&](PyObject* name) {
    if (!PyUnicode_Check(name)) return wrong_type("kinds are names (str)", name);
    lasting = lasting && PyUnicode_CheckExact(name);
    const char* text = PyUnicode_AsUTF8(name);
    return text != nullptr && add_kind(definitions, text, set);
  };
  if (PyUnicode_Check(kinds)) {
    if (!add(kinds)) return nullptr;
  } else {
    PyObject* names = PySequence_Fast(kinds, "kinds is a name or an iterable of names");
    if (names == nullptr) return nullptr;
    bool fine = true;
    for (Py_ssize_t i = 0; fine && i < PySequence_Fast_GET_SIZE(names); ++i)
      fine = add(PySequence_Fast_GET_ITEM(names, i));
    Py_DECREF(names);
    if (!fine) return nullptr;
  }
  std::sort(set.user_types.begin(), set.user_types.end());
  if (lasting && !core.closed()) return core.kinds.keep(kinds, std::move(set));
  static KindSet last;
  last = std::move(set);
  return &last;
}

bool select_kinds(TraceCore& core, PyObject* kinds, Selection& selection) {
  if (kinds == Py_None) return true;
  const KindSet* set = kinds_of(core, kinds);
  if (set == nullptr) return false;
  selection.all_types = false;
  selection.kinds = *set;
  return true;
}

bool select_ranks(TraceCore& core, PyObject* ranks, Selection& selection) {
  if (ranks == Py_None) return true;
  const trace::Definitions& definitions = *core.definitions;
  selection.locations.assign(definitions.locations.size(), 0);
  if (PyIndex_Check(ranks)) {
    if (!add_rank(definitions, ranks, selection)) return false;
  } else {
    PyObject* list = PySequence_Fast(ranks, "ranks is an int or an iterable of ints");
    if (list == nullptr) return false;
    bool fine = true;
    for (Py_ssize_t i = 0; fine && i < PySequence_Fast_GET_SIZE(list); ++i)
      fine = add_rank(definitions, PySequence_Fast_GET_ITEM(list, i), selection);
    Py_DECREF(list);
    if (!fine) return false;
  }
  const auto one = std::find(selection.locations.begin(), selection.locations.end(), 1);
  if (one != selection.locations.end() && std::count(one, selection.locations.end(), 1) == 1)
    selection.only = static_cast<trace::LocationId>(one - selection.locations.begin());
  return true;
}

bool select_between(TraceCore& core, PyObject* between, Selection& selection) {
  selection.first = 1;
  selection.last = core.view != nullptr ? core.view->size() : 0;
  if (between == Py_None) return true;
  core.shift();  // found while the trace is open: a bound's __float__ may close it
  PyObject* pair = PySequence_Fast(between, "between is a pair (from, to) of seconds");
  if (pair == nullptr) return false;
  bool fine = PySequence_Fast_GET_SIZE(pair) == 2;
  if (!fine) set_usage_error("between is a pair (from, to) of seconds");
  fine = fine && bound(core, PySequence_Fast_GET_ITEM(pair, 0), INT64_MIN, selection.from) &&
         bound(core, PySequence_Fast_GET_ITEM(pair, 1), INT64_MAX, selection.to);
  Py_DECREF(pair);
  if (!fine || !core.check_open()) return false;
  if (core.view == nullptr) return true;
  if (selection.from > INT64_MIN) selection.first = core.view->at_time(selection.from - 1) + 1;
  selection.last = core.view->at_time(selection.to);
  return true;
}

bool select(TraceCore& core, PyObject* kinds, PyObject* ranks, PyObject* between, Selection& selection) {
  // Iterables and numbers may be Python code that closes the trace.
  const std::shared_ptr<OpenedTrace> held = core.opened;
  return select_kinds(core, kinds, selection) && core.check_open() && select_ranks(core, ranks, selection) &&
         core.check_open() && select_between(core, between, selection);
}

}  // namespace mora::python
