/// A view: all locations merged into one numbered stream of KOJAK/EARL events, with the pointers computed.
///
/// Numbers run 1…m by (time, location, ordinal in the file); a message's reception and a transfer's end never stand
/// before their start at equal time. The view fixes the RMA model: *basic* leaves the end of a one-sided transfer where
/// it was recorded, *extended* moves it directly before the exit of the call that completes it (rma/epoch_links.h).
/// A pointer is the number of an earlier event or 0 (null). Source: spec 000 sections 2.10-2.14.
///
/// This implementation keeps all events in memory (about 150 bytes each); the interface is made for one that does not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

enum class RmaModel : std::uint8_t { basic, extended };

enum class EarlType : std::uint8_t {
  enter,
  exit,
  mpicexit,
  mpiwcexit,
  mpiwexit,
  send,
  recv,
  put_1ts,
  put_1te,
  get_1to,
  get_1ts,
  get_1te,
  wlock,
  wunlock,
};
inline constexpr std::size_t earl_type_count = 14;
/// "ENTER", "MPIWCEXIT", …
const char* to_string(EarlType type);

using Position = std::uint64_t;  ///< 1…size(); 0 = null

/// One event of the view. Fields that the type does not have are no_id or 0.
struct ViewEvent {
  Nanoseconds time = 0;
  Position enter = 0;       ///< enterptr (trace-text.md, last section)
  Position link = 0;        ///< RECV: sendptr; PUT_1TE, GET_1TE: startptr; GET_1TS: originptr; WLOCK, WUNLOCK: lockptr
  std::uint64_t bytes = 0;  ///< message length; bytes sent
  std::uint64_t received = 0;  ///< bytes received
  std::uint64_t rmaid = 0;
  std::uint64_t ordinal = 0;   ///< of the record it comes from, in the stream of `recorded_on`
  LocationId location = 0;     ///< where it belongs
  LocationId recorded_on = 0;  ///< differs for the remote halves of transfers
  RegionId region = no_id;     ///< ENTER and exits
  std::uint32_t peer = no_id;  ///< world rank: dest, src, target
  std::int32_t tag = 0;
  CommId comm = no_id;
  std::uint32_t root = no_id;
  WindowId window = no_id;
  GroupId group = no_id;
  std::uint32_t assertion = 0;
  EarlType type = EarlType::enter;
  bool synex = false;
  bool exclusive = false;
};

class View {
 public:
  /// Reads every location of the source. Locations that cannot be read are counted (unreadable-location), not fatal;
  /// only if none can be read it is an error. The source must outlive the view.
  static Result<std::unique_ptr<View>> make(Source& source, RmaModel model);

  Position size() const { return events_.size(); }
  const ViewEvent& event(Position position) const { return events_[position - 1]; }
  const Definitions& definitions() const { return source_.definitions(); }
  RmaModel model() const { return model_; }
  /// Regions from the outermost to that of the event (for ENTER and exits their own region included).
  std::vector<RegionId> call_path(Position position) const;
  /// What the source and the merging had to mend or leave unmatched.
  const DataQuality& quality() const { return quality_; }

 private:
  View(Source& source, RmaModel model) : source_(source), model_(model) {}
  friend class ViewBuilder;

  Source& source_;
  RmaModel model_;
  std::vector<ViewEvent> events_;
  DataQuality quality_;
};

}  // namespace mora::trace
