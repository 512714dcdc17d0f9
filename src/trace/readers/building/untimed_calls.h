/// Calls of ranks in formats that hold no times: a rank's clock is moved by its computation only, MPI calls last
/// nothing, and `mora predict` gives them times. Not thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/readers/building/trace_builder.h"

namespace mora::trace {

class UntimedCalls {
 public:
  static constexpr double longest = 1e15;  ///< nanoseconds of one computation; also the largest size of a message

  struct Request {
    std::uint64_t number = 0;
    bool is_send = false;
    Event message;  ///< peer, tag, bytes, comm
  };

  explicit UntimedCalls(std::string format) : builder_(std::move(format)) {}
  TraceBuilder& builder() { return builder_; }

  /// That the rank is there, also if it does nothing.
  void add(std::uint32_t rank) { at(rank); }

  /// A call with these events.
  void call(std::uint32_t rank, std::string_view function, std::vector<Event> events = {}) {
    const Rank& r = at(rank);
    const RegionId region = builder_.region(function);
    builder_.enter(r.location, r.now, region);
    for (Event& event : events) {
      event.time = r.now;
      builder_.append(r.location, event);
    }
    builder_.leave(r.location, r.now, region);
  }

  /// False: the times are too large.
  bool compute(std::uint32_t rank, Nanoseconds time) {
    Rank& r = at(rank);
    if (r.now > static_cast<Nanoseconds>(longest) * 1000 - time) return false;
    const RegionId region = builder_.region("compute");
    builder_.enter(r.location, r.now, region);
    builder_.leave(r.location, r.now += time, region);
    return true;
  }

  /// A blocking send or receive of a message.
  void transfer(std::uint32_t rank, bool is_send, Event message) {
    message.kind = is_send ? EventKind::send : EventKind::receive;
    message.comm = builder_.world();
    call(rank, is_send ? "MPI_Send" : "MPI_Recv", {message});
  }

  /// A non-blocking one; `message` has its peer, tag and bytes.
  Request begin(std::uint32_t rank, bool is_send, Event message) {
    message.comm = builder_.world();
    message.kind = is_send ? EventKind::send_request : EventKind::receive_request;
    message.request = ++at(rank).requests;
    Event begun = message;
    if (!is_send) {  // a posted receive does not know its message yet
      begun = {};
      begun.kind = EventKind::receive_request;
      begun.request = message.request;
    }
    call(rank, is_send ? "MPI_Isend" : "MPI_Irecv", {begun});
    return {message.request, is_send, message};
  }

  static Event completion(const Request& request) {
    Event e = request.is_send ? Event{} : request.message;
    e.kind = request.is_send ? EventKind::send_complete : EventKind::receive_complete;
    e.request = request.number;
    return e;
  }

 private:
  struct Rank {
    LocationId location = no_id;
    Nanoseconds now = 0;
    std::uint64_t requests = 0;
  };
  Rank& at(std::uint32_t rank) {
    if (rank >= ranks_.size()) ranks_.resize(std::size_t{rank} + 1);
    Rank& r = ranks_[rank];
    if (r.location == no_id) r.location = builder_.location(rank);
    return r;
  }

  TraceBuilder builder_;
  std::vector<Rank> ranks_;
};

}  // namespace mora::trace
