/// What a completion says of the request that it completes, for readers that need it where the request starts: source,
/// tag and bytes of a receive; communicator and operation of a collective.
///
/// Requests are told apart by the number of their start on the location, since numbers of requests are used again
/// (request_map.h). Cost: O(1) per record; memory: one event per completed receive or collective. Not thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "trace/event.h"
#include "trace/links/request_map.h"

namespace mora::trace {

/// send_request, receive_request, collective_request: they are numbered together, from 0, in stream order.
inline bool is_request_start(EventKind kind) {
  return kind == EventKind::send_request || kind == EventKind::receive_request || kind == EventKind::collective_request;
}

class Completions {
 public:
  /// All records of one location, in stream order.
  void on_event(const Event& event) {
    switch (event.kind) {
      case EventKind::send_request:
      case EventKind::receive_request:
        messages_.set(event.request, starts_++);
        break;
      case EventKind::collective_request:
        collectives_.set(event.request, starts_++);
        break;
      case EventKind::receive_complete:
        keep(messages_.take(event.request), event);
        break;
      case EventKind::collective_complete:
        keep(collectives_.take(event.request), event);
        break;
      case EventKind::send_complete:
      case EventKind::cancelled:
        messages_.take(event.request);
        break;
      default:
        break;
    }
  }
  /// receive_complete or collective_complete of the start with this number; nullptr: there is none.
  const Event* of(std::uint32_t start) const {
    const auto found = found_.find(start);
    return found == found_.end() ? nullptr : &found->second;
  }

 private:
  void keep(std::uint32_t start, const Event& event) {
    if (start != RequestMap::none) found_.emplace(start, event);
  }
  RequestMap messages_, collectives_;
  std::unordered_map<std::uint32_t, Event> found_;
  std::uint32_t starts_ = 0;
};

}  // namespace mora::trace
