/// Events in memory: each exists once, counted references keep it, and it keeps what its pointers lead to (Wolf 1998,
/// 5.3.1: central buffer and closure).
///
/// An event holds its ENTER (enterptr) and its partner (sendptr, startptr, originptr, forkptr), so that whoever holds a
/// reference holds everything that can be reached by pointers: a SEND in a queue keeps its ENTER and the enclosing
/// ENTERs, also after those regions were left. Pointers along chains (locks, collective exits) are numbers only,
/// because they would keep the whole past of the trace in memory.
/// Cost: O(1) per reference. Not thread-safe.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/view/view.h"

namespace mora::trace::earl {

class EventBuffer;
struct EventObject;

/// A counted reference to an event of an EventBuffer, which must live longer.
class EventRef {
 public:
  EventRef() = default;
  explicit EventRef(EventObject* object);
  EventRef(const EventRef& other) : EventRef(other.object_) {}
  EventRef(EventRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  EventRef& operator=(EventRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~EventRef();

  const EventObject* operator->() const { return object_; }
  const EventObject& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const EventRef& other) const { return object_ == other.object_; }

 private:
  friend class EventBuffer;
  EventObject* object_ = nullptr;
};

/// An event in the buffer. Lives while a reference to it exists.
struct EventObject {
  Position number = 0;
  ViewEvent event;  ///< with enter, link and forward as numbers
  EventRef enter;   ///< event.enter
  EventRef link;    ///< event.link, unless that is a chain
  EventBuffer* buffer = nullptr;
  std::uint64_t references = 0;
};

/// The central buffer: finds what is in memory by number.
class EventBuffer {
 public:
  EventBuffer() = default;
  EventBuffer(const EventBuffer&) = delete;
  EventBuffer& operator=(const EventBuffer&) = delete;
  ~EventBuffer();  ///< no reference may be left

  /// The event, or null.
  EventRef find(Position number) const;
  /// Precondition: find(number) is null.
  EventRef add(Position number, const ViewEvent& event, EventRef enter, EventRef link);

  std::uint64_t live() const { return objects_.size(); }  ///< events in memory now
  std::uint64_t peak() const { return peak_; }            ///< … at most so far

 private:
  friend class EventRef;
  void release(EventObject* object);
  std::unordered_map<Position, EventObject*> objects_;
  std::vector<EventObject*> dead_;  ///< work of release()
  std::uint64_t peak_ = 0;
};

inline EventRef::EventRef(EventObject* object) : object_(object) {
  if (object_ != nullptr) ++object_->references;
}
inline EventRef::~EventRef() {
  if (object_ != nullptr && --object_->references == 0) object_->buffer->release(object_);
}

}  // namespace mora::trace::earl
