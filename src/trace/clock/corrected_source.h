/// CorrectedSource: the events of another source at corrected times.
///
/// Nothing is stored per event: the corrected time follows from the jumps and knots of the location while it is read.
/// Cost: O(1) per event. Memory: `options.memory` for jumps and knots, beyond it disk. Thread safety: as the given
/// source.
#pragma once

#include <memory>

#include "trace/clock/amortisation.h"
#include "trace/clock/clock_report.h"
#include "trace/source.h"

namespace mora::trace {

/// What the correction found, per location: the forward sweep's jumps and the corners of the amortisation curves.
struct Corrections {
  Corrections(std::size_t locations, std::size_t memory) : jumps(locations, memory / 2), knots(locations, memory / 2) {}
  Spool<Jump> jumps;
  Spool<Knot> knots;
};

class CorrectedSource : public Source {
 public:
  /// `corrections` null: times stay as they are. `quality`: what reading the source once has counted, which is not
  /// counted again.
  CorrectedSource(std::unique_ptr<Source> source, const ClockOptions& options, std::unique_ptr<Corrections> corrections,
                  std::shared_ptr<ClockReport> report, const DataQuality& quality)
      : source_(std::move(source)),
        options_(options),
        corrections_(std::move(corrections)),
        report_(std::move(report)),
        quality_(quality) {}

  const Definitions& definitions() const override { return source_->definitions(); }
  Result<void> read_location(LocationId location, EventSink& sink) override;
  std::uint64_t event_count_hint(LocationId location) const override { return source_->event_count_hint(location); }
  Nanoseconds duration_hint() const override { return source_->duration_hint(); }
  DataQuality& quality() override { return quality_; }
  std::vector<std::uint64_t> vector(LocationId location, std::uint32_t index) const override {
    return source_->vector(location, index);
  }
  std::string format() const override { return source_->format(); }

 private:
  std::unique_ptr<Source> source_;
  const ClockOptions options_;
  std::unique_ptr<Corrections> corrections_;
  std::shared_ptr<ClockReport> report_;
  DataQuality quality_;
};

}  // namespace mora::trace
