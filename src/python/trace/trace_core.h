/// TraceCore: what the Python objects of one opened trace have in common: the view, the read pointer, names as Python
/// strings. Events, iterators and states hold it; close() empties it for all of them at once.
///
/// Everything here happens under the GIL; the count of references is therefore a plain number.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/trace/kind_cache.h"
#include "python/trace/opened_trace.h"

namespace mora::python {

/// One per opened trace. Reference-counted under the GIL.
class TraceCore {
 public:
  TraceCore(std::shared_ptr<OpenedTrace> trace, std::string path_as_given, bool trace_clock);
  ~TraceCore();
  TraceCore(const TraceCore&) = delete;
  TraceCore& operator=(const TraceCore&) = delete;

  /// Null once closed.
  const trace::Definitions* definitions = nullptr;
  /// Null once closed, and without index.
  const trace::View* view = nullptr;
  /// Null once closed, and with index. Not thread-safe: only under the GIL.
  trace::earl::RandomAdapter* adapter = nullptr;
  std::shared_ptr<OpenedTrace> opened;
  const std::string path;
  /// Added to the view's times: what makes the first event's 0, or the trace's own (clock="trace"). Found when it is
  /// first asked for, because looking at an event of a reopened index costs a check. Precondition: open, or asked
  /// before.
  Nanoseconds shift() const {
    if (!shift_.has_value()) shift_ = -opened->first_time();
    return *shift_;
  }
  PyObject* owner = nullptr;  ///< weak reference to the mora.Trace that opened it, or null

  bool closed() const { return definitions == nullptr; }
  /// Raises mora.ClosedError (as a C++ exception) once closed.
  const trace::Definitions& open_definitions() const;
  /// Likewise, and mora.UsageError if the trace was opened without index.
  const trace::View& open_view() const;
  /// For C-API code: false and the Python error set once closed, or as check_intact().
  bool check_open() const { return (definitions != nullptr && (view == nullptr || view->is_intact())) || refuse(); }
  /// False and the Python error set once the index is damaged beyond repair (trace::View::intact): what was read from
  /// it just now may be no value of the trace.
  bool check_intact() const { return view == nullptr || view->is_intact() || refuse(); }
  /// The same as an exception.
  void throw_unless_intact() const;
  void close();

  /// Number of nodes n of the opened trace: they are 0 … n-1.
  std::uint64_t node_count() const { return node_count_; }
  /// The location of a thread of a node; no_id if there is none. O(1) for first threads of traces whose locations are
  /// numbered like ranks, else O(locations). Precondition: not closed.
  trace::LocationId location(std::uint32_t rank, std::uint32_t thread) const;

  // New references. Ids outside the definitions give None.
  PyObject* region_name(trace::RegionId region);
  PyObject* region_group(trace::RegionId region);
  PyObject* user_type(std::uint32_t index);
  PyObject* string(std::uint64_t index);

  std::uint32_t rank(trace::LocationId location) const { return definitions->locations[location].rank; }

  KindCache kinds;  ///< what names of kinds mean in this trace

  void retain() { ++references_; }
  void release() {
    if (--references_ == 0) delete this;
  }

 private:
  PyObject* cached(std::vector<PyObject*>& cache, std::size_t size, std::uint32_t index, const std::string& text);
  void forget_names();
  bool refuse() const;  ///< sets the error; false

  std::uint64_t references_ = 0;
  std::vector<PyObject*> region_names_, region_groups_, user_types_;
  std::uint64_t node_count_ = 0;
  mutable std::optional<Nanoseconds> shift_;
};

/// A counted reference; pybind11's holder.
template <class T>
class Counted {
 public:
  Counted() = default;
  explicit Counted(T* core) : core_(core) {
    if (core_) core_->retain();
  }
  Counted(const Counted& other) : Counted(other.core_) {}
  Counted(Counted&& other) noexcept : core_(other.core_) { other.core_ = nullptr; }
  Counted& operator=(Counted other) {
    std::swap(core_, other.core_);
    return *this;
  }
  ~Counted() {
    if (core_) core_->release();
  }
  T* get() const { return core_; }
  T* operator->() const { return core_; }
  T& operator*() const { return *core_; }

 private:
  T* core_ = nullptr;
};
using CoreRef = Counted<TraceCore>;

/// A Python int of `time` + `shift`, exact whatever the values.
PyObject* exact_sum(Nanoseconds time, Nanoseconds shift);
/// Seconds as a double, rounded once (twice where the sum needs more than 53 bits).
double seconds(Nanoseconds time, Nanoseconds shift);

}  // namespace mora::python

PYBIND11_DECLARE_HOLDER_TYPE(T, mora::python::Counted<T>, true)
