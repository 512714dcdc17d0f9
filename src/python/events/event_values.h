/// Values of attributes as Python objects. The caller holds the GIL and has checked that the trace is open.
///
/// An event is decoded as late as possible: what stands in the view's columns (type, time, location, region) costs a
/// few loads, other values decode the record once (EventAt). What an event lacks is None. A call path is followed from
/// enter to enter: O(depth).
#pragma once

#include "python/events/event_attributes.h"
#include "python/trace/trace_core.h"

namespace mora::python {

/// Makes the names of event types and collectives. Once, when the module is made; false with a Python error.
bool prepare_event_values();

/// An event of an open trace: where its values come from. With an index they are looked up in the view one by one;
/// without, the adapter has decoded the whole event, and whoever holds it keeps that.
struct EventAt {
  TraceCore& core;
  trace::Position p;
  const trace::ViewEvent* decoded = nullptr;

  Nanoseconds time() const { return decoded != nullptr ? decoded->time : core.view->time(p); }
  trace::EarlType type() const { return decoded != nullptr ? decoded->type : core.view->type(p); }
  trace::LocationId location() const { return decoded != nullptr ? decoded->location : core.view->location(p); }
  trace::RegionId region() const { return decoded != nullptr ? decoded->region : core.view->region(p); }
  trace::Position enter() const { return decoded != nullptr ? decoded->enter : core.view->enter(p); }
  trace::Position link() const { return decoded != nullptr ? decoded->link : core.view->link(p); }
  trace::Position forward() const { return decoded != nullptr ? decoded->forward : core.view->forward(p); }
  trace::ViewEvent all() const { return decoded != nullptr ? *decoded : core.view->event(p); }
};

/// A new reference; null with a Python error. Precondition: the event's type (`type`) has the attribute.
PyObject* attribute_value(const EventAt& event, trace::EarlType type, Attribute attribute);

/// Number of the event that a pointer attribute points to, 0 = null. Precondition: as above, a pointer.
trace::Position pointer_value(const EventAt& event, Attribute attribute);

/// Without index: event `p`, which exists, without moving the read pointer. Nothing with a Python error.
std::optional<trace::ViewEvent> fetch(TraceCore& core, trace::Position p);

/// Number of events; without index, the first time, by reading to the end. False with a Python error.
bool count_events(TraceCore& core, std::uint64_t& count);

}  // namespace mora::python
