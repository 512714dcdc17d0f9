/// TraceBuilder: what a reader of a foreign format needs to keep the guarantees of source.h.
///
/// A reader parses its file once, in any order of locations, and calls define and append functions; finish() returns
/// the Source. The builder interns names, recognises MPI functions, keeps the times and the region stack of each
/// location consistent, and counts what it repaired (rows of docs/user/data-quality.md: clock-went-backwards,
/// stray-leave, missing-leave, lost-leave, unclosed-region, undefined-reference). readers/README.md shows how a reader
/// is made. Cost: O(1) per event, O(log names) per definition. Memory: definitions, and 256 MiB of events; more go to
/// an unlinked temporary file (event_spool.h). Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "trace/event_spool.h"
#include "trace/readers/building/lost_leaves.h"
#include "trace/readers/building/spooled_source.h"

namespace mora::trace {

class TraceBuilder {
 public:
  /// `format`: what `mora info` shows, "Paraver 1.0".
  explicit TraceBuilder(std::string format, EventSpoolOptions options = {});

  /// Direct access for what has no function here (program, nodes, communicators, windows, groups, metrics …).
  Definitions& definitions() { return parts_.definitions; }
  DataQuality& quality() { return parts_.quality; }

  /// The location of (rank, thread), made on first use. Locations are renumbered by (rank, thread) in finish();
  /// until then use the id given here.
  LocationId location(std::uint32_t rank, std::uint32_t thread = 0, std::string_view name = {});
  /// Region by (name, group, call site), made on first use. MPI names become MPI regions.
  RegionId region(std::string_view name, std::string_view group = {}, std::string_view file = {},
                  std::uint32_t line = 0);
  CommId world();                                  ///< a communicator "WORLD" of all ranks, filled in by finish()
  std::uint32_t user_type(std::string_view name);  ///< Definitions::user_types, made on first use
  std::uint64_t string(std::string_view text);     ///< Definitions::strings, made on first use

  /// Appends an event; `event.time` is in the file's own clock, ns. Times may not go back on a location: the earlier
  /// one is raised to its predecessor's and counted. `leave` pops (region no_id: whatever is open): a leave of an outer
  /// region closes the inner ones first, one without enter is dropped; both are counted.
  void append(LocationId location, Event event);
  void enter(LocationId location, Nanoseconds time, RegionId region);
  void leave(LocationId location, Nanoseconds time, RegionId region = no_id);
  /// Ends the regions deeper than `depth`, which have no leaves of their own. Returns how many of them are not in the
  /// count of lost leaves: the reader knows whether that is damage.
  std::size_t close(LocationId location, Nanoseconds time, std::size_t depth);
  /// What is open where a location ends has not lost its leaves: recursion in a trace that was cut (EARL's formats).
  void end_is_a_cut() { end_is_a_cut_ = true; }
  /// Innermost open region, no_id at top level. `depth` 1 = the one around it.
  RegionId open_region(LocationId location, std::size_t depth = 0) const;
  /// Number of regions open on the location.
  std::size_t depth(LocationId location) const { return streams_[location].open.size(); }
  /// The temporary file cannot be written: whatever follows is lost and finish() fails. A reader of large files may
  /// look and stop.
  bool failed() const { return parts_.spool.failure().has_value(); }

  /// Closes open regions (Event::mended), makes times relative to the earliest (which is added to
  /// Definitions::time_origin, what the file's times are counted from), renumbers locations, completes world_size and
  /// index_ranks(); counts and replaces references that no definition fits. The builder is empty afterwards. Errors:
  /// nothing was appended and no location is defined; the events could not be kept.
  Result<std::unique_ptr<SpooledSource>> finish();

 private:
  struct Stream {
    std::vector<OpenRegion> open;
    std::uint64_t enters = 0;
    FindLostLeaves lost;
    /// How often a region is in `open`; kept from the first search that was long and in vain.
    std::unordered_map<RegionId, std::uint32_t> times_open;
    bool counts_open = false;
    Nanoseconds first = INT64_MAX, last = INT64_MIN;
    NestingRepairs repairs;
  };
  /// One more than the largest id that an event refers to; no_id wraps to 0.
  struct Used {
    std::uint32_t region = 0, comm = 0, window = 0, group = 0, file = 0, metric = 0, user_type = 0;
    bool region_missing = false;
  };
  bool is_open(Stream& stream, RegionId region) const;
  /// The regions deeper than `depth` end without leaves of their own. Returns how many have lost them.
  static std::size_t note_lost(Stream& stream, std::size_t depth);
  void push(Stream& stream, RegionId region);
  void pop(Stream& stream);
  void note_ids(const Event& event);
  void close_streams();
  void check_references();
  void number_locations();

  SpooledSource::Parts parts_;
  std::vector<Stream> streams_;
  bool end_is_a_cut_ = false;
  Used used_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, LocationId> locations_;
  std::map<std::string, RegionId, std::less<>> regions_;
  std::map<std::string, std::uint32_t, std::less<>> user_types_;
  std::map<std::string, std::uint64_t, std::less<>> strings_;
  CommId world_ = no_id;
};

}  // namespace mora::trace
