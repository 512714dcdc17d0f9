/// What the recorder says about its own recording (MORA_NOTE records; docs/formats/journal.md), as rows of data
/// quality: the same for time-stamped and pattern recordings. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "base/data_quality.h"

namespace mora::experiment {

/// A row without its place.
struct NoteMeaning {
  const char* kind;
  Severity severity;
  const char* what;
  const char* remedy;
  std::uint64_t count;
};

/// MORA_NOTE_NO_FULL_EVENTS, which says something else in each kind of recording, and MORA_NOTE_NO_CORE, which is about
/// a time (CoreGaps), are left to the caller.
NoteMeaning meaning_of_note(std::int32_t note, std::uint64_t value);

/// When what the kernel counts of a thread could not be read, and why (Mora's rule core-not-read).
class CoreGaps {
 public:
  /// A MORA_NOTE_NO_CORE record: its stamp and value.
  void note(std::uint64_t stamp, std::uint64_t error);
  /// Adds the row, if there were gaps. Times are told since `start`.
  void tell(const std::string& where, std::uint64_t start, DataQuality& quality) const;

 private:
  std::uint64_t count_ = 0, first_ = 0, last_ = 0;
  int error_ = 0;  ///< of the first
  bool is_open_ = false;
};

}  // namespace mora::experiment
