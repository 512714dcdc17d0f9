#include "trace/intervals/mark_filter.h"

namespace mora::trace {

void MarkFilter::take(const Event& event) {
  last_ = event.time;
  if (!held_.empty()) {
    if (!continues(event)) {
      give_up();
      return take(event);
    }
    held_.push_back(event);
    held_apart_ += is_apart(event) ? 1 : 0;
    if (event.kind == EventKind::leave && is_complete()) replace();
    return;
  }
  if (event.kind == EventKind::enter) {
    const RegionClass c = intervals_.class_of(event.region);
    if (c != RegionClass::sends && c != RegionClass::control) return intervals_.enter(event);
    if (intervals_.in_call()) return intervals_.enter(event);
    is_control_ = c == RegionClass::control;
    if (is_control_) {
      mark_ = decode_mark(event.tag);
      if (mark_.kind == MarkKind::invalid) ++intervals_.damage.unknown_marks;
      if (mark_.kind != MarkKind::begin && mark_.kind != MarkKind::end) return intervals_.enter(event);
    }
    is_sent_ = is_received_ = false;
    in_call_ = true;
    held_apart_ = 0;
    held_.push_back(event);
    return;
  }
  keep(event);
}

void MarkFilter::keep(const Event& event) {
  switch (event.kind) {
    case EventKind::enter:
      return intervals_.enter(event);
    case EventKind::leave:
      return intervals_.leave(event);
    case EventKind::send:
    case EventKind::send_request:
    case EventKind::receive:
    case EventKind::receive_complete:
      if (is_to_self(event)) note_self_message(event);
      [[fallthrough]];
    default:
      intervals_.other(event);
  }
}

void MarkFilter::note_self_message(const Event& event) {
  const Mark mark = decode_mark(event.tag);
  if (mark.kind == MarkKind::none) return;
  const bool is_send = event.kind == EventKind::send || event.kind == EventKind::send_request;
  if (mark.kind == MarkKind::invalid) {
    intervals_.damage.unknown_marks += is_send ? 1 : 0;
  } else if (is_send) {
    ++intervals_.damage.half_marks;
    ++half_sends_;
  } else if (half_sends_ != 0) {
    --half_sends_;
  } else {
    ++intervals_.damage.half_marks;
  }
}

bool MarkFilter::continues(const Event& event) {
  if (held_.size() == most_held) return false;
  if (is_apart(event)) return true;
  if (held_.size() - held_apart_ == most_of_mark) return false;
  switch (event.kind) {
    case EventKind::overhead_begin:
    case EventKind::overhead_end:
      return true;
    case EventKind::enter: {
      const RegionClass c = intervals_.class_of(event.region);
      if (in_call_ || c != RegionClass::receives) return false;
      return in_call_ = true;
    }
    case EventKind::leave:
      if (!in_call_) return false;  // of a region around
      in_call_ = false;
      return is_control_ || is_sent_;
    case EventKind::send:
    case EventKind::send_request:
      if (is_control_ || is_sent_ || !is_to_self(event)) return false;
      mark_ = decode_mark(event.tag);
      if (mark_.kind != MarkKind::begin && mark_.kind != MarkKind::end) return false;
      tag_ = event.tag;
      pending_send_ = event.kind == EventKind::send_request ? std::optional(event.request) : std::nullopt;
      pending_receive_.reset();
      return is_sent_ = true;
    case EventKind::receive_request:
      if (!is_sent_ || is_received_ || pending_receive_) return false;
      pending_receive_ = event.request;
      return true;
    case EventKind::receive:
    case EventKind::receive_complete:
      if (!is_sent_ || is_received_ || !in_call_ || !is_to_self(event) || event.tag != tag_) return false;
      if (pending_receive_.has_value() != (event.kind == EventKind::receive_complete)) return false;
      if (pending_receive_ && *pending_receive_ != event.request) return false;
      return is_received_ = true;
    case EventKind::send_complete:
      if (!is_sent_ || !pending_send_ || *pending_send_ != event.request) return false;
      pending_send_.reset();
      return true;
    default:
      return false;
  }
}

/// The held events are a mark: its calls disappear, their time becomes overhead, and the interval begins or ends.
void MarkFilter::replace() {
  const Nanoseconds from = held_.front().time, to = held_.back().time;
  const RegionId where = held_.front().region;
  if (mark_.kind == MarkKind::end) intervals_.end(mark_.id, from);
  Event bracket;
  bracket.kind = EventKind::overhead_begin;
  bracket.time = from;
  intervals_.other(bracket);
  // The recorder's own overhead in it is part of it; what began and goes on begins again behind it.
  const Event* goes_on = nullptr;
  for (const Event& event : held_) {
    if (event.kind == EventKind::overhead_begin) goes_on = &event;
    if (event.kind == EventKind::overhead_end) goes_on = nullptr;
    if (event.kind == EventKind::metric || event.kind == EventKind::user || event.kind == EventKind::other)
      intervals_.other(event);
  }
  bracket.kind = EventKind::overhead_end;
  bracket.time = to;
  intervals_.other(bracket);
  if (mark_.kind == MarkKind::begin) intervals_.begin(where, mark_.id, to);
  if (goes_on != nullptr) {
    bracket = *goes_on;
    bracket.time = to;
    intervals_.other(bracket);
  }
  held_.clear();
}

/// The held events are no mark after all: they are passed on unchanged, and half a mark is counted.
void MarkFilter::give_up() {
  if (is_control_ || is_sent_) ++intervals_.damage.half_marks;
  if (is_sent_ && !is_received_) ++half_sends_;
  for (const Event& event : held_) {
    if (event.kind == EventKind::enter)
      intervals_.enter(event);
    else if (event.kind == EventKind::leave)
      intervals_.leave(event);
    else
      intervals_.other(event);
  }
  held_.clear();
}

void MarkFilter::finish() {
  if (!held_.empty()) give_up();
  intervals_.finish(last_);
}

}  // namespace mora::trace
