/// Writes the events of one location as OTF2 records (docs/formats/otf2.md, "Events").
#pragma once

#include <otf2/otf2.h>

#include <map>
#include <vector>

#include "archive/attributes.h"
#include "export/otf2/archive_plan.h"
#include "trace/event.h"

namespace mora::exports {

/// Half of a transfer shown as a message on the window's reserved communicator.
enum class TransferRole : std::uint32_t { put = 1, get = 2, request = 3 };

/// Not thread-safe. Stamps must not decrease. The first error of libotf2 sticks.
class EventRecords {
 public:
  EventRecords(const ArchivePlan& plan, OTF2_EvtWriter* writer, trace::LocationId location);
  ~EventRecords();
  EventRecords(const EventRecords&) = delete;
  EventRecords& operator=(const EventRecords&) = delete;

  /// `stamp`: event.time in the archive's clock; `shift` is added to the other times in the event.
  void write(const trace::Event& event, std::uint64_t stamp, Nanoseconds shift);
  void program_begin(std::uint64_t stamp);
  void program_end(std::uint64_t stamp);
  /// Where event.vector will be found in vectors.<rank>; set before write().
  void next_vector(std::uint32_t index) { vector_ = index; }
  void transfer_message(bool send, std::uint64_t stamp, TransferRole role, std::uint32_t peer, trace::WindowId window,
                        std::uint64_t bytes);

  std::uint64_t not_written() const { return not_written_; }  ///< events that OTF2 or their references do not allow
  std::uint64_t last_stamp() const { return last_; }
  OTF2_ErrorCode status() const { return status_; }
  OTF2_EvtWriter* writer() const { return writer_; }

 private:
  void message(const trace::Event& e, std::uint64_t t);
  void collective(const trace::Event& e, std::uint64_t t);
  void synchronisation(const trace::Event& e, std::uint64_t t);
  void transfer(const trace::Event& e, std::uint64_t t, Nanoseconds shift);
  void other(const trace::Event& e, std::uint64_t t);
  OTF2_AttributeList* assertion(const trace::Event& e);
  void note(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && status_ == OTF2_SUCCESS) status_ = code;
  }

  const ArchivePlan& plan_;
  OTF2_EvtWriter* writer_;
  OTF2_AttributeList* list_;
  const std::uint32_t rank_;
  std::uint64_t overhead_since_ = 0;
  bool team_ = false;  ///< the region being left is a team's
  std::uint32_t vector_ = trace::no_id;
  std::uint64_t not_written_ = 0, last_ = 0;
  OTF2_ErrorCode status_ = OTF2_SUCCESS;
};

/// Attribute of OTF2 records that only exports write; the others are archive/attributes.h.
inline constexpr OTF2_AttributeRef attribute_transfer =
    archive::attributes_end;  ///< "mora:transfer" UINT32: TransferRole

}  // namespace mora::exports
