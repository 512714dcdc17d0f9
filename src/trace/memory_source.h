/// MemorySource: a trace held in memory. The text reader and tests (generators, naive references) fill it.
///
/// It passes its events on as they are: whoever fills it must keep the guarantees of Source::read_location(). Once it
/// is filled, reading is thread-safe, also of the same location.
#pragma once

#include <string>
#include <vector>

#include "trace/source.h"

namespace mora::trace {

class MemorySource : public Source {
 public:
  Definitions defs;                                              ///< call defs.index_ranks() when complete
  std::vector<std::vector<Event>> events;                        ///< per location
  std::vector<std::vector<std::vector<std::uint64_t>>> vectors;  ///< per location, per index; may be shorter
  std::string format_name = "memory";
  DataQuality quality_table;

  const Definitions& definitions() const override { return defs; }
  Result<void> read_location(LocationId location, EventSink& sink) override;
  std::uint64_t event_count_hint(LocationId location) const override;
  Nanoseconds duration_hint() const override;
  DataQuality& quality() override { return quality_table; }
  std::string format() const override { return format_name; }
  std::vector<std::uint64_t> vector(LocationId location, std::uint32_t index) const override;
};

}  // namespace mora::trace
