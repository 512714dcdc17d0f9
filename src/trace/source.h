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

/// A format that open_trace() knows: one line per reader in open_trace.cpp.
struct TraceFormat {
  const char* name;         ///< lower case: `--format` of verbs, `mora.open(format=…)`, EARL's `-format`
  const char* description;  ///< "Paraver (*.prv)"
  /// `start`: the first bytes (up to 4096), unpacked if the file is gzip.
  /// True if the file is of this format, as far as its beginning tells; must not fail on any bytes.
  bool (*fits)(const std::string& path, const std::string& start);
  /// Reads the definitions, for some formats the whole file. Errors: unreadable, system.
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
