/// Source: an opened trace, whatever its format. Readers (readers/<format>/) implement it; everything else in Mora sees
/// a trace through it.
///
/// Thread safety: definitions(), format() and the hints may be called from any thread; read_location() from several
/// threads at once for different locations; quality() is itself thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "trace/definitions.h"
#include "trace/event.h"

namespace mora::trace {

/// Receives the events of one location in stream order (time never decreases). Called by one thread at a time.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
  /// Kinds that make a difference to it, a kind_bit() of each; asked before the first event. A source may leave the
  /// others out, and then need not make them.
  virtual std::uint64_t kinds() const { return UINT64_MAX; }
};

/// For who wants a location read to its end, and none of its events.
class NullSink : public EventSink {
 public:
  void on_event(const Event&) override {}
  std::uint64_t kinds() const override { return 0; }
};

class Source {
 public:
  virtual ~Source() = default;

  virtual const Definitions& definitions() const = 0;

  /// Passes all events of the location to the sink, from the first to the last; may be called again and gives the same
  /// events. Guarantees to the sink: times never decrease; every leave has its enter, and every region entered is left
  /// (a truncated stream is closed at its last time); ids are valid indices or no_id. What had to be repaired or
  /// dropped is counted in quality(). Precondition: `location` is an index of definitions().locations. Errors
  /// (unreadable, system): nothing, or not all, of this location could be read; the message names the file.
  virtual Result<void> read_location(LocationId location, EventSink& sink) = 0;

  /// Number of events per location as far as known beforehand (progress, reservations); 0 = unknown.
  virtual std::uint64_t event_count_hint(LocationId location) const = 0;

  /// Time of the last event, in ns since the first (event times are relative to the first); 0 = unknown.
  virtual Nanoseconds duration_hint() const = 0;

  /// What was repaired, dropped or not understood, as rows with a remedy. Grows while locations are read.
  virtual DataQuality& quality() = 0;

  /// Per-peer byte counts that Event::vector refers to (sent, then received where the call has both, in
  /// communicator rank order); empty if unknown.
  virtual std::vector<std::uint64_t> vector(LocationId, std::uint32_t /*index*/) const { return {}; }

  /// For people: "OTF2 3.0 (Mora 0.2.0)", "trace text".
  virtual std::string format() const = 0;
};

}  // namespace mora::trace
