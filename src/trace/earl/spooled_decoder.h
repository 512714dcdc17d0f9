/// SpooledDecoder: any Source as one sequential stream of EARL events, in the view's order and RMA model.
///
/// The locations are merged once, when the decoder is made (by a view, whose index is dropped afterwards), into an
/// unlinked temporary file of equal records ($TMPDIR, else /tmp; one ViewEvent per event, about 112 bytes); a mark is a
/// record's index.
/// Cost: one view and one pass. Memory afterwards: one block of 512 records, whatever the trace's size.
#pragma once

#include <memory>
#include <vector>

#include "trace/earl/event_decoder.h"
#include "trace/source.h"

namespace mora::trace::earl {

class SpooledDecoder : public EventDecoder {
 public:
  ~SpooledDecoder() override;
  SpooledDecoder(const SpooledDecoder&) = delete;
  SpooledDecoder& operator=(const SpooledDecoder&) = delete;

  const Definitions& definitions() const override { return definitions_; }
  Result<std::optional<ViewEvent>> read() override;
  Result<bool> skip() override;
  Mark position() const override { return next_; }
  bool seek(Mark position) override;

  /// What reading the source repaired and what merging left without partner.
  const DataQuality& quality() const { return quality_; }
  /// Of the first event; 0 if there is none.
  Nanoseconds first_time() const { return first_time_; }
  /// As View::measured().
  const MeasuredTime& measured() const { return measured_; }

 private:
  friend Result<std::unique_ptr<SpooledDecoder>> spool(Source& source, RmaModel model, BuildWatch* watch);
  SpooledDecoder(const Definitions& definitions, int file) : definitions_(definitions), file_(file) {}
  Result<void> append(const ViewEvent& event);
  Result<void> flush();
  Result<void> load();

  const Definitions& definitions_;
  DataQuality quality_;
  Nanoseconds first_time_ = 0;
  MeasuredTime measured_;
  const int file_;
  std::uint64_t size_ = 0;  ///< records
  std::uint64_t next_ = 0;
  std::vector<ViewEvent> block_;
  std::uint64_t block_first_ = 0;
};

/// Merges all locations of `source` (which must outlive the decoder). Errors: those of View::make(); the disk is full
/// (system).
Result<std::unique_ptr<SpooledDecoder>> spool(Source& source, RmaModel model, BuildWatch* watch = nullptr);

}  // namespace mora::trace::earl
