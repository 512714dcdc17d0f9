/// libotf2's callbacks: each calls the function of LocationReader that its record belongs to, and tells libotf2 to go
/// on, whatever it thinks of the record: damage is counted, not an end of reading. libotf2 skips records without a
/// callback.
#include "trace/readers/otf2/location_reader.h"

namespace mora::trace::otf2 {

#define MORA_CALLBACK(body, ...)                                                 \
  [](OTF2_LocationRef, OTF2_TimeStamp t, std::uint64_t, void* user,              \
     OTF2_AttributeList* list __VA_OPT__(, ) __VA_ARGS__) -> OTF2_CallbackCode { \
    LocationReader& r = *static_cast<LocationReader*>(user);                     \
    (void)list;                                                                  \
    body;                                                                        \
    return OTF2_CALLBACK_SUCCESS;                                                \
  }

void LocationReader::set_callbacks(OTF2_EvtReaderCallbacks* c) {
  OTF2_EvtReaderCallbacks_SetEnterCallback(c, MORA_CALLBACK(r.enter(t, region, list), OTF2_RegionRef region));
  OTF2_EvtReaderCallbacks_SetLeaveCallback(c, MORA_CALLBACK(r.leave(t, region), OTF2_RegionRef region));
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(
      c, MORA_CALLBACK(r.message(EventKind::send, t, peer, comm, tag, n, 0), std::uint32_t peer, OTF2_CommRef comm,
                       std::uint32_t tag, std::uint64_t n));
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
      c, MORA_CALLBACK(r.message(EventKind::receive, t, peer, comm, tag, n, 0), std::uint32_t peer, OTF2_CommRef comm,
                       std::uint32_t tag, std::uint64_t n));
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
      c, MORA_CALLBACK(r.message(EventKind::send_request, t, peer, comm, tag, n, id), std::uint32_t peer,
                       OTF2_CommRef comm, std::uint32_t tag, std::uint64_t n, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
      c, MORA_CALLBACK(r.message(EventKind::receive_complete, t, peer, comm, tag, n, id), std::uint32_t peer,
                       OTF2_CommRef comm, std::uint32_t tag, std::uint64_t n, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(
      c, MORA_CALLBACK(r.request(EventKind::send_complete, t, id), std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(
      c, MORA_CALLBACK(r.request(EventKind::receive_request, t, id), std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(
      c, MORA_CALLBACK(r.request(EventKind::cancelled, t, id), std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, MORA_CALLBACK(r.plain(EventKind::collective_begin, t)));
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
      c, MORA_CALLBACK(r.collective_end(EventKind::collective_end, t, list, op, comm, root, sent, received, 0),
                       OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                       std::uint64_t received));
  OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(
      c, MORA_CALLBACK(r.window_event(EventKind::window_create, t, win), OTF2_RmaWinRef win));
  OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(
      c, MORA_CALLBACK(r.window_event(EventKind::window_free, t, win), OTF2_RmaWinRef win));
  OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(c, MORA_CALLBACK(r.plain(EventKind::rma_collective_begin, t)));
  OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(
      c, MORA_CALLBACK(r.rma_collective_end(t, list, op, win, root, sent, received), OTF2_CollectiveOp op,
                       OTF2_RmaSyncLevel, OTF2_RmaWinRef win, std::uint32_t root, std::uint64_t sent,
                       std::uint64_t received));
  OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(
      c, MORA_CALLBACK(r.group_sync(t, list, level, win, group), OTF2_RmaSyncLevel level, OTF2_RmaWinRef win,
                       OTF2_GroupRef group));
  OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(
      c, MORA_CALLBACK(if (!r.shmem_lock(EventKind::other, t, id))
                           r.lock(EventKind::lock_request, t, win, remote, type == OTF2_LOCK_EXCLUSIVE, false, list),
                       OTF2_RmaWinRef win, std::uint32_t remote, std::uint64_t id, OTF2_LockType type));
  OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(
      c, MORA_CALLBACK(if (!r.shmem_lock(EventKind::acquire, t, id))
                           r.lock(EventKind::lock_request, t, win, remote, type == OTF2_LOCK_EXCLUSIVE, true, list),
                       OTF2_RmaWinRef win, std::uint32_t remote, std::uint64_t id, OTF2_LockType type));
  OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(
      c, MORA_CALLBACK(if (!r.shmem_lock(EventKind::release, t, id))
                           r.lock(EventKind::lock_release, t, win, remote, false, false, list),
                       OTF2_RmaWinRef win, std::uint32_t remote, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(
      c, MORA_CALLBACK(r.transfer(EventKind::put, t, list, win, remote, n, n, id, RmaOperation::put),
                       OTF2_RmaWinRef win, std::uint32_t remote, std::uint64_t n, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(
      c, MORA_CALLBACK(r.transfer(EventKind::get, t, list, win, remote, n, n, id, RmaOperation::get),
                       OTF2_RmaWinRef win, std::uint32_t remote, std::uint64_t n, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(
      c,
      MORA_CALLBACK(r.atomic(t, list, win, remote, type, sent, received, id), OTF2_RmaWinRef win, std::uint32_t remote,
                    OTF2_RmaAtomicType type, std::uint64_t sent, std::uint64_t received, std::uint64_t id));
  const auto complete = MORA_CALLBACK(r.rma_complete(t, win, id), OTF2_RmaWinRef win, std::uint64_t id);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(c, complete);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(c, complete);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(c, complete);
  OTF2_EvtReaderCallbacks_SetProgramBeginCallback(
      c, MORA_CALLBACK(r.plain(EventKind::program_begin, t), OTF2_StringRef, std::uint32_t, const OTF2_StringRef*));
  OTF2_EvtReaderCallbacks_SetProgramEndCallback(c, MORA_CALLBACK(r.plain(EventKind::program_end, t), std::int64_t));
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(
      c, MORA_CALLBACK(r.plain(mode == OTF2_MEASUREMENT_OFF ? EventKind::recording_off : EventKind::recording_on, t),
                       OTF2_MeasurementMode mode));
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(c, MORA_CALLBACK(r.flush_buffer(t, stop), OTF2_TimeStamp stop));
  // Non-blocking collectives, communicators.
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      c, MORA_CALLBACK(r.collective_request(t, id), std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      c, MORA_CALLBACK(r.collective_end(EventKind::collective_complete, t, list, op, comm, root, sent, received, id),
                       OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                       std::uint64_t received, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(
      c, MORA_CALLBACK(r.user(UserRecord::request_test, t, no_id, id), std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetCommCreateCallback(
      c, MORA_CALLBACK(r.user(UserRecord::comm_create, t, r.comm_name(comm), 0), OTF2_CommRef comm));
  OTF2_EvtReaderCallbacks_SetCommDestroyCallback(
      c, MORA_CALLBACK(r.user(UserRecord::comm_destroy, t, r.comm_name(comm), 0), OTF2_CommRef comm));
  OTF2_EvtReaderCallbacks_SetRmaTryLockCallback(
      c, MORA_CALLBACK(if (!r.shmem_lock(EventKind::other, t, id))
                           r.lock(EventKind::lock_request, t, win, remote, type == OTF2_LOCK_EXCLUSIVE, false, list),
                       OTF2_RmaWinRef win, std::uint32_t remote, std::uint64_t id, OTF2_LockType type));
  OTF2_EvtReaderCallbacks_SetRmaSyncCallback(
      c, MORA_CALLBACK(r.rma_sync(t, win, remote), OTF2_RmaWinRef win, std::uint32_t remote, OTF2_RmaSyncType));
  OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(
      c,
      MORA_CALLBACK(r.user(UserRecord::rma_op_test, t, r.window_name(win), id), OTF2_RmaWinRef win, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback(
      c, MORA_CALLBACK(r.user(UserRecord::rma_wait_change, t, r.window_name(win), 0), OTF2_RmaWinRef win));
  // Threads.
  OTF2_EvtReaderCallbacks_SetThreadForkCallback(c, MORA_CALLBACK(r.fork(t, n, 0), OTF2_Paradigm, std::uint32_t n));
  OTF2_EvtReaderCallbacks_SetThreadJoinCallback(c, MORA_CALLBACK(r.join(t, 0), OTF2_Paradigm));
  OTF2_EvtReaderCallbacks_SetOmpForkCallback(c, MORA_CALLBACK(r.fork(t, n, 0), std::uint32_t n));
  OTF2_EvtReaderCallbacks_SetOmpJoinCallback(c, MORA_CALLBACK(r.join(t, 0)));
  OTF2_EvtReaderCallbacks_SetThreadCreateCallback(c, MORA_CALLBACK(r.fork(t, 1, id), OTF2_CommRef, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetThreadWaitCallback(c, MORA_CALLBACK(r.join(t, id), OTF2_CommRef, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(
      c, MORA_CALLBACK(r.thread_lock(EventKind::acquire, t, id), OTF2_Paradigm, std::uint32_t id, std::uint32_t));
  OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(
      c, MORA_CALLBACK(r.thread_lock(EventKind::release, t, id), OTF2_Paradigm, std::uint32_t id, std::uint32_t));
  OTF2_EvtReaderCallbacks_SetOmpAcquireLockCallback(
      c, MORA_CALLBACK(r.thread_lock(EventKind::acquire, t, id), std::uint32_t id, std::uint32_t));
  OTF2_EvtReaderCallbacks_SetOmpReleaseLockCallback(
      c, MORA_CALLBACK(r.thread_lock(EventKind::release, t, id), std::uint32_t id, std::uint32_t));
  OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(
      c, MORA_CALLBACK(r.user(UserRecord::thread_team_begin, t, r.comm_name(team), 0), OTF2_CommRef team));
  OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(
      c, MORA_CALLBACK(r.user(UserRecord::thread_team_end, t, r.comm_name(team), 0), OTF2_CommRef team));
  OTF2_EvtReaderCallbacks_SetThreadBeginCallback(
      c,
      MORA_CALLBACK(r.user(UserRecord::thread_begin, t, r.comm_name(team), id), OTF2_CommRef team, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetThreadEndCallback(
      c, MORA_CALLBACK(r.user(UserRecord::thread_end, t, r.comm_name(team), id), OTF2_CommRef team, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(
      c, MORA_CALLBACK(r.user(UserRecord::task_create, t, r.comm_name(team), id), OTF2_CommRef team, std::uint32_t,
                       std::uint32_t id));
  OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(
      c, MORA_CALLBACK(r.user(UserRecord::task_switch, t, r.comm_name(team), id), OTF2_CommRef team, std::uint32_t,
                       std::uint32_t id));
  OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(
      c, MORA_CALLBACK(r.user(UserRecord::task_complete, t, r.comm_name(team), id), OTF2_CommRef team, std::uint32_t,
                       std::uint32_t id));
  OTF2_EvtReaderCallbacks_SetOmpTaskCreateCallback(
      c, MORA_CALLBACK(r.user(UserRecord::task_create, t, no_id, id), std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetOmpTaskSwitchCallback(
      c, MORA_CALLBACK(r.user(UserRecord::task_switch, t, no_id, id), std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetOmpTaskCompleteCallback(
      c, MORA_CALLBACK(r.user(UserRecord::task_complete, t, no_id, id), std::uint64_t id));
  // Counters and parameters.
  OTF2_EvtReaderCallbacks_SetMetricCallback(
      c, MORA_CALLBACK(r.metric(t, metric, n, types, values), OTF2_MetricRef metric, std::uint8_t n,
                       const OTF2_Type* types, const OTF2_MetricValue* values));
  OTF2_EvtReaderCallbacks_SetParameterStringCallback(
      c, MORA_CALLBACK(r.text_parameter(t, parameter, text), OTF2_ParameterRef parameter, OTF2_StringRef text));
  OTF2_EvtReaderCallbacks_SetParameterIntCallback(
      c, MORA_CALLBACK(r.number_parameter(t, parameter, metric_value(value)), OTF2_ParameterRef parameter,
                       std::int64_t value));
  OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(
      c, MORA_CALLBACK(r.number_parameter(t, parameter, metric_value(value)), OTF2_ParameterRef parameter,
                       std::uint64_t value));
  // Calling contexts: instrumented ones enter and leave, samples only tell.
  OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(
      c, MORA_CALLBACK(r.enter_context(t, context), OTF2_CallingContextRef context, std::uint32_t));
  OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(
      c, MORA_CALLBACK(r.leave_context(t, context), OTF2_CallingContextRef context));
  OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(
      c,
      MORA_CALLBACK(r.sample(t, context), OTF2_CallingContextRef context, std::uint32_t, OTF2_InterruptGeneratorRef));
  // Input and output.
  OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(
      c, MORA_CALLBACK(r.io_begin(t, handle, (flags & OTF2_IO_OPERATION_FLAG_COLLECTIVE) != 0, bytes, id),
                       OTF2_IoHandleRef handle, OTF2_IoOperationMode, OTF2_IoOperationFlag flags, std::uint64_t bytes,
                       std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(
      c, MORA_CALLBACK(r.io_end(t, handle, bytes, id), OTF2_IoHandleRef handle, std::uint64_t bytes, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback(
      c, MORA_CALLBACK(r.io_end(t, handle, 0, id), OTF2_IoHandleRef handle, std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetIoOperationTestCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_operation_test, t, r.handle_name(handle), id), OTF2_IoHandleRef handle,
                       std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetIoOperationIssuedCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_operation_issued, t, r.handle_name(handle), id), OTF2_IoHandleRef handle,
                       std::uint64_t id));
  OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_create_handle, t, r.handle_name(handle), mode, r.file_of(handle)),
                       OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag, OTF2_IoStatusFlag));
  OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_destroy_handle, t, r.handle_name(handle), 0, r.file_of(handle)),
                       OTF2_IoHandleRef handle));
  OTF2_EvtReaderCallbacks_SetIoDuplicateHandleCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_duplicate_handle, t, r.handle_name(handle), 0), OTF2_IoHandleRef handle,
                       OTF2_IoHandleRef, OTF2_IoStatusFlag));
  OTF2_EvtReaderCallbacks_SetIoSeekCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_seek, t, r.handle_name(handle), at), OTF2_IoHandleRef handle, std::int64_t,
                       OTF2_IoSeekOption, std::uint64_t at));
  OTF2_EvtReaderCallbacks_SetIoChangeStatusFlagsCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_change_status_flags, t, r.handle_name(handle), flags, r.file_of(handle)),
                       OTF2_IoHandleRef handle, OTF2_IoStatusFlag flags));
  OTF2_EvtReaderCallbacks_SetIoDeleteFileCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_delete_file, t, r.file_name(file), 0), OTF2_IoParadigmRef,
                       OTF2_IoFileRef file));
  OTF2_EvtReaderCallbacks_SetIoAcquireLockCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_acquire_lock, t, r.handle_name(handle), 0), OTF2_IoHandleRef handle,
                       OTF2_LockType));
  OTF2_EvtReaderCallbacks_SetIoReleaseLockCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_release_lock, t, r.handle_name(handle), 0), OTF2_IoHandleRef handle,
                       OTF2_LockType));
  OTF2_EvtReaderCallbacks_SetIoTryLockCallback(
      c, MORA_CALLBACK(r.user(UserRecord::io_try_lock, t, r.handle_name(handle), 0), OTF2_IoHandleRef handle,
                       OTF2_LockType));
}

#undef MORA_CALLBACK

}  // namespace mora::trace::otf2
