/// What the recorder says about its own recording (MORA_NOTE records; docs/formats/journal.md), as rows of data
/// quality: the same for time-stamped and pattern recordings. Pure functions, thread-safe.
#pragma once

#include <cstdint>

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

/// MORA_NOTE_NO_FULL_EVENTS, which says something else in each kind of recording, is left to the caller.
NoteMeaning meaning_of_note(std::int32_t note, std::uint64_t value);

}  // namespace mora::experiment
