/// The events of one location, in the record flavour of docs/formats/otf2.md. One function per record: `t` is the stamp
/// in ns, ids are indices of archive::Definitions, partners are ranks of the communicator or window, lengths are bytes.
/// Stamps must not decrease (libotf2 refuses). The first error is kept and reported by ArchiveWriter::close_location().
/// One thread at a time.
#pragma once

#include <otf2/otf2.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "archive/attributes.h"

namespace mora::archive {

/// References that the writer reserves; everything else is shifted by the constants below.
inline constexpr OTF2_StringRef empty_string = 0;
inline constexpr OTF2_StringRef program_string = 1;
inline constexpr OTF2_StringRef first_string = 2;  ///< reference = index in Definitions::strings + first_string
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
  bool has_rma_end = false;
  TransferRole transfer = TransferRole::none;
  std::uint8_t reduction = 0;  ///< mpi::Reduction of an accumulate; 0: not known
  std::uint64_t received = 0;
  std::uint64_t rma_end = 0;             ///< if has_rma_end
  std::uint64_t offset = 0, extent = 0;  ///< if has_range
};

class LocationWriter {
 public:
  LocationWriter(OTF2_EvtWriter* writer, OTF2_AttributeList* attributes, std::uint64_t location)
      : writer_(writer), attributes_(attributes), location_(location) {}

  void program_begin(std::uint64_t t) {
    note(OTF2_EvtWriter_ProgramBegin(writer_, nullptr, t, program_string, 0, nullptr));
  }
  void program_end(std::uint64_t t, std::int64_t exit_status) {
    note(OTF2_EvtWriter_ProgramEnd(writer_, nullptr, t, exit_status));
  }
  void enter(std::uint64_t t, std::uint32_t region) { note(OTF2_EvtWriter_Enter(writer_, nullptr, t, region)); }
  /// With the number of an interval or a team, the level of MPI_Pcontrol, or the number of polls in a row.
  void enter(std::uint64_t t, std::uint32_t region, std::int32_t argument) {
    note(OTF2_AttributeList_AddInt32(attributes_.get(), attribute_argument, argument));
    note(OTF2_EvtWriter_Enter(writer_, attributes_.get(), t, region));
  }
  void leave(std::uint64_t t, std::uint32_t region) { note(OTF2_EvtWriter_Leave(writer_, nullptr, t, region)); }
  /// The recorder was busy from `t` to `stop`.
  void buffer_flush(std::uint64_t t, std::uint64_t stop) {
    note(OTF2_EvtWriter_BufferFlush(writer_, nullptr, t, stop));
    ++further_events_;
  }
  void measurement(std::uint64_t t, bool on) {
    note(OTF2_EvtWriter_MeasurementOnOff(writer_, nullptr, t, on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
  }

  /// The processor was in the function `caller`, an index in Definitions::callers.
  void sample(std::uint64_t t, std::uint32_t caller) {
    note(OTF2_EvtWriter_CallingContextSample(writer_, nullptr, t, caller, OTF2_UNDEFINED_UINT32,
                                             OTF2_UNDEFINED_INTERRUPT_GENERATOR));
  }

  // Messages. A non-blocking send is a send_request at its start and a send_complete in the call that completes it; a
  // non-blocking receive is a receive_request and a receive_complete.
  void send(std::uint64_t t, std::uint32_t receiver, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes,
            const Attributes& a = {}) {
    note(OTF2_EvtWriter_MpiSend(writer_, list(a), t, receiver, comm, tag, bytes));
  }
  void receive(std::uint64_t t, std::uint32_t sender, std::uint32_t comm, std::uint32_t tag, std::uint64_t bytes,
               const Attributes& a = {}) {
    note(OTF2_EvtWriter_MpiRecv(writer_, list(a), t, sender, comm, tag, bytes));
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
  /// A file was opened or closed; how (access mode) is not known and written as for reading and writing.
  void io_open(std::uint64_t t, std::uint32_t file) {
    note(OTF2_EvtWriter_IoCreateHandle(writer_, nullptr, t, file, OTF2_IO_ACCESS_MODE_READ_WRITE,
                                       OTF2_IO_CREATION_FLAG_NONE, OTF2_IO_STATUS_FLAG_NONE));
  }
  void io_close(std::uint64_t t, std::uint32_t file) {
    note(OTF2_EvtWriter_IoDestroyHandle(writer_, nullptr, t, file));
  }
  /// Something of the open file was set: size, view, …
  void io_change(std::uint64_t t, std::uint32_t file) {
    note(OTF2_EvtWriter_IoChangeStatusFlags(writer_, nullptr, t, file, OTF2_IO_STATUS_FLAG_NONE));
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
  /// Of OpenSHMEM: as collective_end.
  void shmem_collective_end(std::uint64_t t, OTF2_CollectiveOp op, std::uint32_t window, std::uint32_t root,
                            std::uint64_t sent, std::uint64_t received) {
    note(OTF2_EvtWriter_RmaCollectiveEnd(
        writer_, nullptr, t, op,
        static_cast<OTF2_RmaSyncLevel>(OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY), window, root, sent,
        received));
  }
  /// `lock`: its number, the same for all processes.
  void shmem_acquire(std::uint64_t t, std::uint32_t window, std::uint64_t lock) {
    note(OTF2_EvtWriter_RmaAcquireLock(writer_, nullptr, t, window, OTF2_UNDEFINED_UINT32, lock, OTF2_LOCK_EXCLUSIVE));
  }
  void shmem_release(std::uint64_t t, std::uint32_t window, std::uint64_t lock) {
    note(OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, t, window, OTF2_UNDEFINED_UINT32, lock));
  }
  /// The transfer was complete when its call returned.
  void rma_complete_blocking(std::uint64_t t, std::uint32_t window, std::uint64_t id) {
    note(OTF2_EvtWriter_RmaOpCompleteBlocking(writer_, nullptr, t, window, id));
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

  // Threads; `lock`: number of the lock.
  void thread_fork(std::uint64_t t, std::uint32_t threads) {
    note(OTF2_EvtWriter_ThreadFork(writer_, nullptr, t, OTF2_PARADIGM_OPENMP, threads));
  }
  void thread_join(std::uint64_t t) { note(OTF2_EvtWriter_ThreadJoin(writer_, nullptr, t, OTF2_PARADIGM_OPENMP)); }
  void thread_acquire(std::uint64_t t, std::uint32_t lock, OTF2_Paradigm paradigm = OTF2_PARADIGM_OPENMP) {
    note(OTF2_EvtWriter_ThreadAcquireLock(writer_, nullptr, t, paradigm, lock, 0));
  }
  void thread_release(std::uint64_t t, std::uint32_t lock, OTF2_Paradigm paradigm = OTF2_PARADIGM_OPENMP) {
    note(OTF2_EvtWriter_ThreadReleaseLock(writer_, nullptr, t, paradigm, lock, 0));
  }

  /// `bits` of a double, an int64 or a uint64.
  void metric(std::uint64_t t, std::uint32_t metric, OTF2_Type type, std::uint64_t bits) {
    OTF2_MetricValue value;
    value.unsigned_int = bits;
    note(OTF2_EvtWriter_Metric(writer_, nullptr, t, metric, 1, &type, &value));
  }
  /// All metrics of a class that are read together, in their order; `number`: of the class.
  void reading(std::uint64_t t, std::uint32_t number, std::span<const std::uint64_t> counts) {
    std::array<OTF2_Type, 16> types;
    std::array<OTF2_MetricValue, 16> values{};
    types.fill(OTF2_TYPE_UINT64);
    for (std::size_t i = 0; i < counts.size(); ++i) values.at(i).unsigned_int = counts[i];
    further_events_ += counts.size() - 1;
    note(OTF2_EvtWriter_Metric(writer_, nullptr, t, number, static_cast<std::uint8_t>(counts.size()), types.data(),
                               values.data()));
  }
  /// `text` is an index of Definitions::strings; no_id = none.
  void user_value(std::uint64_t t, std::uint32_t user_type, std::uint32_t text) {
    note(OTF2_EvtWriter_ParameterString(writer_, nullptr, t, user_type,
                                        text == 0xFFFFFFFF ? empty_string : text + first_string));
  }

  /// Number of the location: the rank, for main threads.
  std::uint64_t location() const { return location_; }
  /// OTF2_SUCCESS, or the first error of any record.
  OTF2_ErrorCode status() const { return status_; }

 private:
  friend class ArchiveWriter;
  void note(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && status_ == OTF2_SUCCESS) status_ = code;
  }
  OTF2_AttributeList* list(const Attributes& a) {
    if (a.assertion == 0 && a.vector_plus_1 == 0 && !a.has_received && !a.neighborhood && !a.has_range &&
        !a.has_rma_end && a.reduction == 0 && a.transfer == TransferRole::none)
      return nullptr;
    if (a.transfer != TransferRole::none)
      note(OTF2_AttributeList_AddUint32(attributes_.get(), attribute_transfer, static_cast<std::uint32_t>(a.transfer)));
    if (a.reduction != 0) note(OTF2_AttributeList_AddUint32(attributes_.get(), attribute_reduction, a.reduction));
    if (a.has_rma_end) note(OTF2_AttributeList_AddUint64(attributes_.get(), attribute_rma_end, a.rma_end));
    if (a.assertion != 0) note(OTF2_AttributeList_AddUint32(attributes_.get(), attribute_assert, a.assertion));
    if (a.vector_plus_1 != 0)
      note(OTF2_AttributeList_AddUint32(attributes_.get(), attribute_vector, a.vector_plus_1 - 1));
    if (a.has_received) note(OTF2_AttributeList_AddUint64(attributes_.get(), attribute_received, a.received));
    if (a.neighborhood) note(OTF2_AttributeList_AddUint32(attributes_.get(), attribute_neighborhood, 1));
    if (a.has_range) {
      note(OTF2_AttributeList_AddUint64(attributes_.get(), attribute_target_offset, a.offset));
      note(OTF2_AttributeList_AddUint64(attributes_.get(), attribute_target_extent, a.extent));
    }
    return attributes_.get();
  }

  struct DeleteList {
    void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
  };

  OTF2_EvtWriter* writer_;
  std::unique_ptr<OTF2_AttributeList, DeleteList> attributes_;
  std::uint64_t location_;
  std::uint64_t further_events_ = 0;  ///< in records of several
  OTF2_ErrorCode status_ = OTF2_SUCCESS;
};

}  // namespace mora::archive
