/// What keeps collective operations from being put together, counted per sequence of them, and its rows of the
/// data-quality table. Not thread-safe, but for the table.
#pragma once

#include <cstdint>
#include <string>

#include "base/data_quality.h"

namespace mora::analysis {

struct SequenceDamage {
  std::uint64_t incomplete = 0;  ///< operations
  std::uint64_t mismatched = 0;
  std::uint64_t across_gap = 0;
  std::uint64_t unknown = 0;
};

/// `group`: what the members belong to, "communicator".
inline void report(const std::string& where, const char* group, const SequenceDamage& damage, DataQuality& quality) {
  const auto count = quality.at(where);
  count("incomplete-collective", Severity::warning, damage.incomplete,
        "a collective operation lacks records of some members; no waiting was computed for it",
        "normal at the end of a killed job; otherwise some rank's records are missing: record again");
  count("mismatched-collective", Severity::warning, damage.mismatched,
        std::string("members of a ") + group +
            " called different collective operations, or named different roots; no waiting was computed",
        "the program is wrong, or records of a rank are missing");
  count("collective-across-gap", Severity::warning, damage.across_gap,
        "collective operations after a stretch without recording could not be put together safely; they were left out",
        "switch recording off and on at the same place on all ranks");
  count("unknown-communicator", Severity::warning, damage.unknown,
        "collective operations on a communicator or window that the trace does not define",
        "the trace's definitions are incomplete; record again");
}

}  // namespace mora::analysis
