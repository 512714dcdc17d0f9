/// The events of one location, in the record flavour of docs/formats/otf2.md. One function per record: `t` is the stamp
/// in ns, ids are indices of archive::Definitions, partners are ranks of the communicator or window, lengths are bytes.
/// Stamps must not decrease (libotf2 refuses). The first error is kept and reported by ArchiveWriter::close_location().
/// One thread at a time.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>

#include "archive/attributes.h"

namespace mora::archive {

/// References that the writer reserves; everything else is shifted by the constants below.
inline constexpr OTF2_StringRef empty_string = 0;
inline constexpr OTF2_StringRef program_string = 1;
inline constexpr OTF2_GroupRef locations_group = 0;
inline constexpr OTF2_GroupRef self_group = 1;
inline constexpr OTF2_GroupRef first_group = 2;  ///< reference = index in Definitions::groups + first_group

/// Attributes of the record written next. Zero means absent.
struct Attributes {
  std::uint32_t assertion = 0;
  std::uint32_t vector_plus_1 = 0;
  bool has_received = false;
  bool neighborhood = false;
  bool has_range = false;
  std::uint64_t received = 0;
  std::uint64_t offset = 0, extent = 0;  ///< if has_range
};

class LocationWriter {
 public:
  LocationWriter(OTF2_EvtWriter* writer, OTF2_AttributeList* attributes, std::uint32_t rank)
      : writer_(writer), attributes_(attributes), rank_(rank) {}

  void program_begin(std::uint64_t t) {
    note(OTF2_EvtWriter_ProgramBegin(writer_, nullptr, t, program_string, 0, nullptr));
  }
  void program_end(std::uint64_t t, std::int64_t exit_status) {
    note(OTF2_EvtWriter_ProgramEnd(writer_, nullptr, t, exit_status));
  }
  void enter(std::uint64_t t, std::uint32_t region) { note(OTF2_EvtWriter_Enter(writer_, nullptr, t, region)); }
  /// With the number of an interval or the level of MPI_Pcontrol.
  void enter(std::uint64_t t, std::uint32_t region, std::int32_t argument) {
    note(OTF2_AttributeList_AddInt32(attributes_, attribute_argument, argument));
    note(OTF2_EvtWriter_Enter(writer_, attributes_, t, region));
  }
  void leave(std::uint64_t t, std::uint32_t region) { note(OTF2_EvtWriter_Leave(writer_, nullptr, t, region)); }
  /// The recorder was busy from `t` to `stop`.
  void buffer_flush(std::uint64_t t, std::uint64_t stop) {
    note(OTF2_EvtWriter_BufferFlush(writer_, nullptr, t, stop));
  }
  void measurement(std::uint64_t t, bool on) {
    note(OTF2_EvtWriter_MeasurementOnOff(writer_, nullptr, t, on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
  }

  // Messages. A non-blocking send is a send_request at its start and a send_complete in the call that completes it; a
  // non-blocking receive is a receive_request and a receive_complete.
  void send(std::uint64_t t, std::uint32_t receiver, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes) {
    note(OTF2_EvtWriter_MpiSend(writer_, nullptr, t, receiver, comm, tag, bytes));
  }
  void receive(std::uint64_t t, std::uint32_t sender, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes) {
    note(OTF2_EvtWriter_MpiRecv(writer_, nullptr, t, sender, comm, tag, bytes));
  }
  void send_request(std::uint64_t t, std::uint32_t receiver, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes,
                    std::uint64_t request) {
    note(OTF2_EvtWriter_MpiIsend(writer_, nullptr, t, receiver, comm, tag, bytes, request));
  }
  void send_complete(std::uint64_t t, std::uint64_t request) {
    note(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, t, request));
  }
  void receive_request(std::uint64_t t, std::uint64_t request) {
    note(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, t, request));
  }
  void receive_complete(std::uint64_t t, std::uint32_t sender, std::uint32_t comm, std::uint32_t tag,
                        std::uint64_t bytes, std::uint64_t request) {
    note(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, t, sender, comm, tag, bytes, request));
  }
  void cancelled(std::uint64_t t, std::uint64_t request) {
    note(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, t, request));
  }

  // Collectives. `root`: rank in the communicator, or OTF2_COLLECTIVE_ROOT_…; `sent`, `received`: bytes of this
  // process.
  void collective_begin(std::uint64_t t) { note(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, t)); }
  void collective_end(std::uint64_t t, OTF2_CollectiveOp op, std::uint32_t comm, std::uint32_t root, std::uint64_t sent,
                      std::uint64_t received, const Attributes& a) {
    note(OTF2_EvtWriter_MpiCollectiveEnd(writer_, list(a), t, op, comm, root, sent, received));
  }

  void collective_request(std::uint64_t t, std::uint64_t request) {
    note(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, t, request));
  }
  void collective_complete(std::uint64_t t, OTF2_CollectiveOp op, std::uint32_t comm, std::uint32_t root,
                           std::uint64_t sent, std::uint64_t received, std::uint64_t request, const Attributes& a) {
    note(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, list(a), t, op, comm, root, sent, received, request));
  }

  // File operations: `id` links begin and completion, unique on the location.
  void io_begin(std::uint64_t t, std::uint32_t file, bool writes, bool collective, bool completes_later,
                std::uint64_t bytes, std::uint64_t id) {
    const auto flags = static_cast<OTF2_IoOperationFlag>(
        (collective ? OTF2_IO_OPERATION_FLAG_COLLECTIVE : OTF2_IO_OPERATION_FLAG_NONE) |
        (completes_later ? OTF2_IO_OPERATION_FLAG_NON_BLOCKING : OTF2_IO_OPERATION_FLAG_NONE));
    note(OTF2_EvtWriter_IoOperationBegin(writer_, nullptr, t, file,
                                         writes ? OTF2_IO_OPERATION_MODE_WRITE : OTF2_IO_OPERATION_MODE_READ, flags,
                                         bytes, id));
  }
  void io_complete(std::uint64_t t, std::uint32_t file, std::uint64_t bytes, std::uint64_t id) {
    note(OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, t, file, bytes, id));
  }

  // One-sided communication; `target`: rank in the window's communicator, `id`: number of the transfer at its origin.
  void rma_collective_begin(std::uint64_t t) { note(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, t)); }
  void rma_collective_end(std::uint64_t t, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level, std::uint32_t window,
                          const Attributes& a) {
    note(OTF2_EvtWriter_RmaCollectiveEnd(writer_, list(a), t, op, level, window, OTF2_UNDEFINED_UINT32, 0, 0));
  }
  void window_create(std::uint64_t t, std::uint32_t window) {
    note(OTF2_EvtWriter_RmaWinCreate(writer_, nullptr, t, window));
  }
  void window_free(std::uint64_t t, std::uint32_t window) {
    note(OTF2_EvtWriter_RmaWinDestroy(writer_, nullptr, t, window));
  }
  /// `group` is an index of Definitions::groups; no_id = the group is not known.
  void group_sync(std::uint64_t t, OTF2_RmaSyncLevel level, std::uint32_t window, std::uint32_t group,
                  const Attributes& a) {
    note(OTF2_EvtWriter_RmaGroupSync(writer_, list(a), t, level, window,
                                     group == 0xFFFFFFFF ? OTF2_UNDEFINED_GROUP : group + first_group));
  }
  void lock_request(std::uint64_t t, std::uint32_t window, std::uint32_t target, bool exclusive, const Attributes& a) {
    note(OTF2_EvtWriter_RmaRequestLock(writer_, list(a), t, window, target, 0,
                                       exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
  }
  void lock_release(std::uint64_t t, std::uint32_t window, std::uint32_t target) {
    note(OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, t, window, target, 0));
  }
  /// `target` OTF2_UNDEFINED_UINT32: all.
  void flush(std::uint64_t t, std::uint32_t window, std::uint32_t target) {
    note(OTF2_EvtWriter_RmaSync(writer_, nullptr, t, window, target, OTF2_RMA_SYNC_TYPE_MEMORY));
  }
  void put(std::uint64_t t, std::uint32_t window, std::uint32_t target, std::uint64_t bytes, std::uint64_t id,
           const Attributes& a) {
    note(OTF2_EvtWriter_RmaPut(writer_, list(a), t, window, target, bytes, id));
  }
  void get(std::uint64_t t, std::uint32_t window, std::uint32_t target, std::uint64_t bytes, std::uint64_t id,
           const Attributes& a) {
    note(OTF2_EvtWriter_RmaGet(writer_, list(a), t, window, target, bytes, id));
  }
  void atomic(std::uint64_t t, std::uint32_t window, std::uint32_t target, OTF2_RmaAtomicType type, std::uint64_t sent,
              std::uint64_t received, std::uint64_t id, const Attributes& a) {
    note(OTF2_EvtWriter_RmaAtomic(writer_, list(a), t, window, target, type, sent, received, id));
  }
  /// `remote`: complete at the target (unlock, flush); else as far as the synchronisation guarantees (fence, complete).
  void rma_complete(std::uint64_t t, std::uint32_t window, std::uint64_t id, bool remote) {
    note(remote ? OTF2_EvtWriter_RmaOpCompleteRemote(writer_, nullptr, t, window, id)
                : OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer_, nullptr, t, window, id));
  }

  std::uint32_t rank() const { return rank_; }
  /// OTF2_SUCCESS, or the first error of any record.
  OTF2_ErrorCode status() const { return status_; }

 private:
  friend class ArchiveWriter;
  void note(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && status_ == OTF2_SUCCESS) status_ = code;
  }
  OTF2_AttributeList* list(const Attributes& a) {
    if (a.assertion == 0 && a.vector_plus_1 == 0 && !a.has_received && !a.neighborhood && !a.has_range) return nullptr;
    if (a.assertion != 0) note(OTF2_AttributeList_AddUint32(attributes_, attribute_assert, a.assertion));
    if (a.vector_plus_1 != 0) note(OTF2_AttributeList_AddUint32(attributes_, attribute_vector, a.vector_plus_1 - 1));
    if (a.has_received) note(OTF2_AttributeList_AddUint64(attributes_, attribute_received, a.received));
    if (a.neighborhood) note(OTF2_AttributeList_AddUint32(attributes_, attribute_neighborhood, 1));
    if (a.has_range) {
      note(OTF2_AttributeList_AddUint64(attributes_, attribute_target_offset, a.offset));
      note(OTF2_AttributeList_AddUint64(attributes_, attribute_target_extent, a.extent));
    }
    return attributes_;
  }

  OTF2_EvtWriter* writer_;
  OTF2_AttributeList* attributes_;
  std::uint32_t rank_;
  OTF2_ErrorCode status_ = OTF2_SUCCESS;
};

}  // namespace mora::archive
