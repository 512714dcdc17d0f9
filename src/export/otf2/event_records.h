/// Events of one location as records of an archive (docs/formats/otf2.md, "Events").
#pragma once

#include "archive/location_writer.h"
#include "export/otf2/archive_plan.h"
#include "trace/event.h"

namespace mora::exports {

/// Not thread-safe. Stamps must not decrease. The first error of libotf2 sticks to the writer.
class EventRecords {
 public:
  EventRecords(const ArchivePlan& plan, archive::LocationWriter writer, trace::LocationId location);

  /// `stamp`: event.time in the archive's clock; `shift` is added to the other times in the event.
  void write(const trace::Event& event, std::uint64_t stamp, Nanoseconds shift);
  void program_begin(std::uint64_t stamp);
  void program_end(std::uint64_t stamp);
  /// Where event.vector will be found in vectors.<rank>; set before write().
  void next_vector(std::uint32_t index) { vector_ = index; }
  void transfer_message(bool send, std::uint64_t stamp, archive::TransferRole role, std::uint32_t peer,
                        trace::WindowId window, std::uint64_t bytes);

  std::uint64_t not_written() const { return not_written_; }  ///< events that OTF2 or their references do not allow
  std::uint64_t last_stamp() const { return last_; }
  archive::LocationWriter& writer() { return writer_; }

 private:
  void message(const trace::Event& e, std::uint64_t t);
  void collective(const trace::Event& e, std::uint64_t t);
  void synchronisation(const trace::Event& e, std::uint64_t t);
  void transfer(const trace::Event& e, std::uint64_t t, Nanoseconds shift);
  void other(const trace::Event& e, std::uint64_t t);

  const ArchivePlan& plan_;
  archive::LocationWriter writer_;
  const std::uint32_t rank_;
  std::uint64_t overhead_since_ = 0;
  bool team_ = false;  ///< the region being left is a team's
  std::uint32_t vector_ = trace::no_id;
  std::uint64_t not_written_ = 0, last_ = 0;
};

}  // namespace mora::exports
