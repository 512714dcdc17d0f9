/// Which attributes each event type has, in the order of Wolf 1998, table 4.1, and Hermanns 2004, figures 2.4 and 5.4,
/// and what their names mean. Lookup, `attributes()`, `links`, error texts and help() are all made from this one table.
#pragma once

#include <Python.h>

#include <cstdint>
#include <span>

#include "trace/index/event_store.h"

namespace mora::python {

/// Everything that an event can be asked for.
enum class Attribute : std::uint8_t {
  // of all types
  num,
  node,
  time,
  type,
  enterptr,
  rank,
  thread,
  loc,
  time_ns,
  ordinal,
  is_enter,
  is_exit,
  call_path,
  // of some
  region,
  group,
  csite,
  src,
  dest,
  tag,
  com,
  len,
  sent,
  recvd,
  root,
  collective,
  win,
  members,
  synex,
  assertion,
  rmaid,
  lloc,
  lock,
  lockid,
  local,
  request,
  file,
  metric,
  value,
  function,
  data,
  // pointers: numbers of earlier events
  sendptr,
  startptr,
  originptr,
  forkptr,
  lockptr,
  prevptr,
  // … of later events
  exitptr,
  recvptr,
  endptr,
  getptr,
  joinptr,
  releaseptr,
  nextptr,
  latesendptr,
  none,
};

struct AttributeName {
  const char* name;
  Attribute attribute;
  bool as_event;  ///< `event.send`: the event that sendptr is the number of
  const char* doc;
};

/// Every name that can be read, EARL's first, then KOJAK's and Mora's.
std::span<const AttributeName> attribute_names();
const char* name_of(Attribute attribute);

/// What the type has besides the base attributes, in the documented order, backward pointers last. Names for other
/// things than these (forward pointers, `rank`, `time_ns`) are not part of `attributes()`.
std::span<const Attribute> own_attributes(trace::EarlType type);
/// The forward pointer that the type has, or none.
Attribute forward_pointer(trace::EarlType type);
/// The backward pointer besides enterptr, or none.
Attribute backward_pointer(trace::EarlType type);

/// Whether events of this type have it.
bool has_attribute(trace::EarlType type, Attribute attribute);

inline constexpr Attribute base_attributes[] = {Attribute::num, Attribute::node, Attribute::time, Attribute::type,
                                                Attribute::enterptr};

}  // namespace mora::python
