// trace.columns(): values of many events as NumPy arrays.
//
// What the view holds as an array (enterptr, forwardptr, loc, type, and rank where locations are numbered like ranks)
// is handed out as it is, without a copy, when events are not chosen by kind or rank: a window in time is a slice.
// Everything else, also what is packed in the view (times, details), is gathered into a new array, without the GIL, at
// some hundred million values a second. Arrays that look into the view are read-only and hold the opened trace, so that
// they stay valid after close().

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "python/bindings.h"
#include "python/events/event_attributes.h"
#include "python/events/selection.h"
#include "python/trace/errors.h"
#include "python/trace/numpy.h"
#include "trace/metrics/metric_value.h"

namespace py = pybind11;

namespace mora::python {
namespace {

using trace::EventColumns;
using trace::EventDetail;
using T = trace::EarlType;

/// Chosen events: a range, or a list of positions.
struct Chosen {
  trace::Position first = 1;
  std::uint64_t size = 0;
  std::optional<std::vector<std::uint32_t>> list;
  trace::Position operator[](std::uint64_t i) const { return list ? (*list)[i] : first + i; }
};

using Held = std::shared_ptr<OpenedTrace>;

template <class Value>
py::array look_into(const Held& held, const Value* begin, std::uint64_t size) {
  py::capsule base(new Held(held), [](void* p) { delete static_cast<Held*>(p); });
  py::array array(py::dtype::of<Value>(), {static_cast<py::ssize_t>(size)}, {sizeof(Value)}, begin, base);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

template <class Value, class Function>
py::array gather(const Chosen& chosen, const Function& value) {
  py::array_t<Value> array(static_cast<py::ssize_t>(chosen.size));
  Value* out = array.mutable_data();
  py::gil_scoped_release unlocked;
  if (chosen.list) {
    const std::uint32_t* positions = chosen.list->data();
    for (std::uint64_t i = 0; i < chosen.size; ++i) out[i] = static_cast<Value>(value(positions[i] - 1U));
  } else {
    const trace::Position first = chosen.first - 1;
    for (std::uint64_t i = 0; i < chosen.size; ++i) out[i] = static_cast<Value>(value(first + i));
  }
  return array;
}

template <class Value>
py::array stored(const Held& held, const Chosen& chosen, const Value* column) {
  if (!chosen.list) return look_into(held, column + (chosen.first - 1), chosen.size);
  return gather<Value>(chosen, [=](std::uint64_t i) { return column[i]; });
}

/// A value of the detail row; `missing` for events without one or whose type does not have the attribute.
template <class Value, class Field>
py::array from_detail(const EventColumns& c, const Chosen& chosen, Attribute attribute, Value missing,
                      const Field& field) {
  bool has[trace::earl_type_count];
  for (std::size_t t = 0; t < trace::earl_type_count; ++t) {
    const auto type = static_cast<T>(t);
    has[t] = type != T::enter && type != T::exit && has_attribute(type, attribute);
  }
  return gather<Value>(chosen, [&](std::uint64_t i) -> Value {
    if (!has[static_cast<std::size_t>(c.type[i])]) return missing;
    return static_cast<Value>(field(c.detail_of(i), c.type[i]));
  });
}

Chosen choose(const Held& held, const Selection& s) {
  Chosen chosen;
  if (s.last < s.first) return chosen;
  chosen.first = s.first;
  chosen.size = s.last - s.first + 1;
  if (s.all_types && s.locations.empty()) return chosen;
  py::gil_scoped_release unlocked;
  const EventColumns& c = held->view->columns();
  // Without a branch per event: each is written behind the last chosen one and stays if it is chosen.
  constexpr std::uint64_t block = 4096;
  auto& list = chosen.list.emplace();
  std::uint64_t size = 0;
  for (std::uint64_t from = s.first - 1; from < s.last; from += block) {
    const std::uint64_t to = std::min(from + block, s.last);
    if (list.size() < size + block) list.resize(2 * list.size() + block);
    for (std::uint64_t i = from; i < to; ++i) {
      list[size] = static_cast<std::uint32_t>(i + 1);
      bool wanted = s.all_types || has_type(s.kinds, c.type[i]);
      if (!wanted && !s.kinds.user_types.empty() && c.type[i] == T::user) wanted = s.accepts_type(*held->view, i + 1);
      size += static_cast<std::uint64_t>(wanted && (s.locations.empty() || s.locations[c.location[i]] != 0));
    }
  }
  list.resize(size);
  chosen.size = size;
  return chosen;
}

bool locations_are_ranks(const trace::Definitions& d) {
  for (std::size_t i = 0; i < d.locations.size(); ++i) {
    if (d.locations[i].rank != i) return false;
  }
  return true;
}

std::int32_t as_signed(std::uint32_t id) { return static_cast<std::int32_t>(id); }

std::optional<Attribute> attribute_of(const std::string& name) {
  for (const AttributeName& known : attribute_names()) {
    if (!known.as_event && name == known.name) return known.attribute;
  }
  return {};
}

py::array event_column(const TraceCore& core, const Held& held, const Chosen& chosen, const std::string& name,
                       bool& known) {
  using A = Attribute;
  const EventColumns& c = held->view->columns();
  const trace::Definitions& d = held->view->definitions();
  const Nanoseconds shift = core.shift();
  if (name == "forwardptr") return stored(held, chosen, c.forward);
  const std::optional<A> found = attribute_of(name);
  switch (found.value_or(A::none)) {
    case A::num:
      return gather<std::uint32_t>(chosen, [](std::uint64_t i) { return i + 1; });
    case A::time_ns:
      return gather<std::int64_t>(chosen, [&](std::uint64_t i) {
        return static_cast<Nanoseconds>(static_cast<std::uint64_t>(c.time[i]) + static_cast<std::uint64_t>(shift));
      });
    case A::time:
      if (shift == 0)
        return gather<double>(chosen, [&](std::uint64_t i) { return static_cast<double>(c.time[i]) / 1e9; });
      return gather<double>(chosen, [&](std::uint64_t i) { return seconds(c.time[i], shift); });
    case A::type:
      return stored(held, chosen, reinterpret_cast<const std::uint8_t*>(c.type));
    case A::enterptr:
      return stored(held, chosen, c.enter);
    case A::ordinal:
      return gather<std::uint32_t>(chosen, [&](std::uint64_t i) { return c.ordinal[i]; });
    case A::loc:
      return stored(held, chosen, c.location);
    case A::node:
    case A::rank:
      if (locations_are_ranks(d)) return stored(held, chosen, c.location);
      return gather<std::uint32_t>(chosen, [&](std::uint64_t i) { return d.locations[c.location[i]].rank; });
    case A::is_enter:
      return gather<bool>(chosen, [&](std::uint64_t i) { return c.type[i] == T::enter; });
    case A::is_exit:
      return gather<bool>(chosen, [&](std::uint64_t i) { return trace::is_exit(c.type[i]); });
    case A::thread:
      return gather<std::uint32_t>(chosen, [&](std::uint64_t i) { return d.locations[c.location[i]].thread; });
    case A::region:
      return gather<std::int32_t>(chosen, [&](std::uint64_t i) -> std::int32_t {
        if (c.type[i] == T::enter || c.type[i] == T::exit) return as_signed(c.region(i));
        if (!trace::is_exit(c.type[i]) || c.enter[i] == 0) return -1;
        return as_signed(c.region(c.enter[i] - 1));
      });
    case A::len:
      return from_detail<std::int64_t>(c, chosen, A::len, 0, [](const EventDetail& r, T type) {
        return type == T::put_1te || type == T::get_1te || type == T::atomic_1te ? r.received : r.bytes;
      });
    case A::sent:
      return from_detail<std::int64_t>(c, chosen, A::sent, 0, [](const EventDetail& r, T) { return r.bytes; });
    case A::recvd:
      return from_detail<std::int64_t>(c, chosen, A::recvd, 0, [](const EventDetail& r, T) { return r.received; });
    case A::tag:
      return from_detail<std::int32_t>(c, chosen, A::tag, 0, [](const EventDetail& r, T) { return as_signed(r.kind); });
    case A::com:
      return from_detail<std::int32_t>(c, chosen, A::com, -1,
                                       [](const EventDetail& r, T) { return as_signed(r.comm); });
    case A::win:
      return from_detail<std::int32_t>(c, chosen, A::win, -1,
                                       [](const EventDetail& r, T) { return as_signed(r.window); });
    case A::src:
    case A::dest:
    case A::lloc:
    case A::root:
      return from_detail<std::int32_t>(c, chosen, *found, -1,
                                       [](const EventDetail& r, T) { return as_signed(r.peer); });
    case A::rmaid:
    case A::request:
    case A::lockid:
      return from_detail<std::uint64_t>(c, chosen, *found, 0, [](const EventDetail& r, T) { return r.id; });
    case A::value:
      return from_detail<double>(c, chosen, A::value, std::numeric_limits<double>::quiet_NaN(),
                                 [](const EventDetail& r, T) { return trace::metric_value_of(r).number(); });
    case A::sendptr:
    case A::startptr:
    case A::originptr:
    case A::forkptr:
    case A::lockptr:
    case A::prevptr:
      return from_detail<std::uint32_t>(c, chosen, *found, 0, [](const EventDetail& r, T) { return r.link; });
    case A::exitptr:
    case A::recvptr:
    case A::endptr:
    case A::getptr:
    case A::joinptr:
    case A::releaseptr:
    case A::nextptr:
    case A::latesendptr: {
      bool has[trace::earl_type_count];
      for (std::size_t t = 0; t < trace::earl_type_count; ++t) has[t] = has_attribute(static_cast<T>(t), *found);
      return gather<std::uint32_t>(
          chosen, [&](std::uint64_t i) { return has[static_cast<std::size_t>(c.type[i])] ? c.forward[i] : 0; });
    }
    default:
      known = false;
      return {};
  }
}

py::dict columns(TraceCore& core, const std::vector<std::string>& names, py::handle kinds, py::handle ranks,
                 py::handle between) {
  need_numpy();
  core.open_view();
  Selection selection;
  if (!select(core, kinds.ptr(), ranks.ptr(), between.ptr(), selection)) throw py::error_already_set();
  const Held held = core.opened;
  core.shift();  // found while the trace is open
  {
    py::gil_scoped_release unlocked;
    held->view->columns();  // the first use checks the index
  }
  core.throw_unless_intact();
  const Chosen chosen = choose(held, selection);
  py::dict result;
  for (const std::string& name : names) {
    bool known = true;
    const py::array column = event_column(core, held, chosen, name, known);
    if (!known)
      throw_usage_error(
          "there is no column '" + name + "'", "",
          "columns are the numeric attributes of events: num, time, time_ns, type, rank, loc, thread, enterptr, "
          "forwardptr, region, src, dest, tag, com, len, sent, recvd, root, win, rmaid, sendptr, …");
    result[py::str(name)] = column;
  }
  return result;
}

/// The rows of all events but ENTER and EXIT.
py::array details(TraceCore& core) {
  need_numpy();
  core.open_view();
  const Held held = core.opened;
  const EventColumns& c = held->view->columns();
  core.throw_unless_intact();
  py::list names, formats, offsets;
  const auto field = [&](const char* name, const char* format, std::size_t offset) {
    names.append(name);
    formats.append(format);
    offsets.append(offset);
  };
  field("bytes", "u8", offsetof(EventDetail, bytes));
  field("received", "u8", offsetof(EventDetail, received));
  field("id", "u8", offsetof(EventDetail, id));
  field("link", "u4", offsetof(EventDetail, link));
  field("peer", "i4", offsetof(EventDetail, peer));
  field("com", "i4", offsetof(EventDetail, comm));
  field("win", "i4", offsetof(EventDetail, window));
  field("kind", "i4", offsetof(EventDetail, kind));
  field("assertion", "u2", offsetof(EventDetail, assertion));
  field("collective", "u1", offsetof(EventDetail, collective));
  field("flags", "u1", offsetof(EventDetail, flags));
  const py::dtype type(names, formats, offsets, sizeof(EventDetail));
  py::array array(type, std::vector<py::ssize_t>{static_cast<py::ssize_t>(c.details)});
  auto* const rows = static_cast<EventDetail*>(array.mutable_data());
  {
    py::gil_scoped_release unlocked;
    for (std::uint64_t row = 0; row < c.details; ++row) rows[row] = c.detail[row];
  }
  return array;
}

}  // namespace

void bind_columns(TraceClass& trace) {
  trace.def("columns", columns);
  trace.def("details", details);
  trace.def("count_types", [](const TraceCore& core) {
    core.open_view();
    const Held held = core.opened;
    std::vector<std::uint64_t> counts(trace::earl_type_count, 0);
    {
      py::gil_scoped_release unlocked;
      const EventColumns& c = held->view->columns();
      for (std::uint64_t i = 0; i < c.size; ++i) ++counts[static_cast<std::size_t>(c.type[i])];
    }
    core.throw_unless_intact();
    return counts;
  });
}

}  // namespace mora::python
