/// Source: an opened trace, whatever its format. Readers (readers/<format>/) implement it.
///
/// Thread safety: definitions() may be read from any thread; read_location() may be called from several
/// threads at once for different locations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "trace/definitions.h"
#include "trace/event.h"

namespace mora::trace {

/// Receives the events of one location in stream order (time never decreases).
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
};

class Source {
 public:
  virtual ~Source() = default;

  virtual const Definitions& definitions() const = 0;

  /// Streams all events of the location. Guarantees to the sink: times never decrease; every leave has its
  /// enter and everything entered is left (a truncated stream is closed at its last time); ids are valid
  /// indices or no_id. Whatever had to be mended or dropped is counted in quality(). An error means that
  /// nothing of this location could be read.
  virtual Result<void> read_location(LocationId location, EventSink& sink) = 0;

  /// Number of events per location as far as known beforehand (progress, reservations); 0 = unknown.
  virtual std::uint64_t event_count_hint(LocationId location) const = 0;

  /// First and last time of the trace in its own clock, ns. Event times are relative to `first`.
  virtual Nanoseconds duration_hint() const = 0;

  /// Grows while locations are read.
  virtual DataQuality& quality() = 0;

  /// Per-peer byte counts that Event::vector refers to (sent, then received where the call has both, in
  /// communicator rank order); empty if unknown.
  virtual std::vector<std::uint64_t> vector(LocationId, std::uint32_t /*index*/) const { return {}; }

  /// "OTF2 3.0 (Mora 0.2.0)", "trace text"
  virtual std::string format() const = 0;
};

/// A format that open_trace() knows: one line per reader in open_trace.cpp.
struct TraceFormat {
  const char* name;         ///< lower case: `--format` of verbs, `mora.open(format=…)`, EARL's `-format`
  const char* description;  ///< "Paraver (*.prv)"
  /// `start`: the first bytes (up to 4096), unpacked if the file is gzip.
  bool (*fits)(const std::string& path, const std::string& start);
  Result<std::unique_ptr<Source>> (*open)(const std::string& path);
};

/// All formats, in the order in which they are tried.
const std::vector<TraceFormat>& trace_formats();

/// The OTF2 anchor file of a directory: traces.otf2, else its only *.otf2; empty if there is none.
std::string anchor_file(const std::string& directory);

/// Opens any supported trace: an experiment directory or a file. The format is found from the content, unless named.
/// Errors: missing, not a trace, damaged beyond use (kind unreadable); unknown format name (kind usage).
Result<std::unique_ptr<Source>> open_trace(const std::string& path, const std::string& format = {});

}  // namespace mora::trace
