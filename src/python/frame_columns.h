/// What functions that make frames (bind_frames.cpp, bind_calls.cpp) share: the columns of an open trace, and vectors
/// that become NumPy arrays without a copy.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "python/trace/numpy.h"
#include "python/trace/trace_core.h"

namespace mora::python {

inline constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

/// Valid without the GIL, whatever happens to the trace meanwhile.
struct FrameInput {
  const trace::EventColumns& columns;
  const trace::Definitions& definitions;
  Nanoseconds shift = 0;
  std::uint64_t nodes = 0;

  /// Of event `p`; NaN if p is 0.
  double seconds_at(trace::Position p) const { return p == 0 ? no_time : seconds(columns.time[p - 1], shift); }
};

/// An array that owns what the vector held.
template <class Value>
pybind11::array array_of(std::vector<Value>&& values) {
  auto* owner = new std::vector<Value>(std::move(values));
  pybind11::capsule base(owner, [](void* p) { delete static_cast<std::vector<Value>*>(p); });
  return pybind11::array_t<Value>(static_cast<pybind11::ssize_t>(owner->size()), owner->data(), base);
}

/// Names and columns in turn; the columns are empty afterwards.
template <class Value, class... More>
void put(pybind11::dict& frame, const char* name, std::vector<Value>& values, More&&... more) {
  frame[name] = array_of(std::move(values));
  if constexpr (sizeof...(more) != 0) put(frame, std::forward<More>(more)...);
}

/// Calls make(input, frame). Raises mora.ClosedError, mora.UsageError (no index), ImportError (no NumPy).
template <class Make>
pybind11::dict frame_of(TraceCore& core, const Make& make) {
  need_numpy();
  core.open_view();
  const std::shared_ptr<OpenedTrace> held = core.opened;
  const Nanoseconds shift = core.shift();
  {
    pybind11::gil_scoped_release unlocked;
    held->view->columns();  // the first use checks the index
  }
  core.throw_unless_intact();
  pybind11::dict frame;
  make(FrameInput{held->view->columns(), held->view->definitions(), shift, core.node_count()}, frame);
  return frame;
}

}  // namespace mora::python
