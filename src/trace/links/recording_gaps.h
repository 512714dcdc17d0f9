/// Gaps in the recording of one location: from RECORDING_OFF to RECORDING_ON (MPI_Pcontrol, a missing chunk).
///
/// What was sent, called or opened in a gap is not known, so that numbers counted before it say nothing of what
/// follows. The part between two gaps is a *stretch*; everything in this folder is counted anew in each stretch, and
/// its key names the stretch (channel.h, sequence.h).
#pragma once

#include <cstdint>

namespace mora::trace {

/// Feed it the records of one location in stream order. O(1). Not thread-safe.
class RecordingGaps {
 public:
  /// RECORDING_OFF. True: a gap begins; a second RECORDING_OFF in a gap begins none.
  bool off() {
    const bool begins = is_recording_;
    stretch_ += begins ? 1 : 0;
    is_recording_ = false;
    return begins;
  }
  /// RECORDING_ON.
  void on() { is_recording_ = true; }

  std::uint32_t stretch() const { return stretch_; }  ///< gaps so far
  bool is_recording() const { return is_recording_; }

 private:
  std::uint32_t stretch_ = 0;
  bool is_recording_ = true;
};

}  // namespace mora::trace
