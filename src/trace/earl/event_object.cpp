#include "trace/earl/event_object.h"

#include <algorithm>
#include <cassert>

namespace mora::trace::earl {

EventBuffer::~EventBuffer() { assert(objects_.empty()); }

EventRef EventBuffer::find(Position number) const {
  const auto at = objects_.find(number);
  return at == objects_.end() ? EventRef() : EventRef(at->second);
}

EventRef EventBuffer::add(Position number, const ViewEvent& event, EventRef enter, EventRef link) {
  auto* object = new EventObject;
  object->number = number;
  object->event = event;
  object->enter = std::move(enter);
  object->link = std::move(link);
  object->buffer = this;
  objects_.emplace(number, object);
  peak_ = std::max<std::uint64_t>(peak_, objects_.size());
  return EventRef(object);
}

/// Not recursive: a stack of activations may be as deep as the trace is long.
void EventBuffer::release(EventObject* object) {
  dead_.push_back(object);
  while (!dead_.empty()) {
    EventObject* last = dead_.back();
    dead_.pop_back();
    for (EventRef* held : {&last->enter, &last->link}) {
      EventObject* target = std::exchange(held->object_, nullptr);
      if (target != nullptr && --target->references == 0) dead_.push_back(target);
    }
    objects_.erase(last->number);
    delete last;
  }
}

}  // namespace mora::trace::earl
