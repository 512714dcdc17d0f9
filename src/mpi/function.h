/// The one table of MPI functions: everything that Mora asks of one. Made from functions.txt by generate.py.
///
/// Numbers stand in journals and pattern traces and never change. A large-count form (MPI_Send_c) has the meaning of
/// the function without _c. Sources: MPI-4.0; Open MPI 4.1 and MPICH 4.0 for what they export. All functions here are
/// pure and thread-safe; texts and rows have static storage.
#pragma once

#include <cstdint>
#include <string_view>

#include "function_ids.h"
#include "mpi/meaning.h"
#include "operation_ids.h"

namespace mora::mpi {

/// What a call does, as far as the wait-state patterns and the matching rules tell calls apart.
enum class CallClass : std::uint8_t {
  none,              ///< not an MPI function
  other,             ///< an MPI function without special meaning (management, queries, …)
  send,              ///< blocking send in all modes
  receive,           ///< MPI_Recv, MPI_Mrecv
  send_receive,      ///< MPI_Sendrecv, MPI_Sendrecv_replace
  send_start,        ///< MPI_Isend in all modes
  receive_start,     ///< MPI_Irecv, MPI_Imrecv
  request_setup,     ///< MPI_Send_init … MPI_Recv_init
  start,             ///< MPI_Start, MPI_Startall
  probe,             ///< MPI_Probe, MPI_Iprobe
  matched_probe,     ///< MPI_Mprobe, MPI_Improbe
  wait_single,       ///< MPI_Wait
  wait_multiple,     ///< MPI_Waitall, MPI_Waitany, MPI_Waitsome
  test,              ///< MPI_Test, MPI_Testall, MPI_Testany, MPI_Testsome
  cancel,            ///< MPI_Cancel
  request_free,      ///< MPI_Request_free
  collective,        ///< blocking collective (Collective tells which)
  collective_start,  ///< MPI_Ibarrier …
  init,
  finalize,
  communicator,  ///< creates or frees communicators, with or without a topology
  window_create,
  window_free,
  fence,
  post,
  start_epoch,  ///< MPI_Win_start
  complete,
  wait_epoch,  ///< MPI_Win_wait
  test_epoch,  ///< MPI_Win_test
  lock,
  unlock,
  passive_other,  ///< lock_all, unlock_all, flush…, sync
  put,
  get,
  accumulate,          ///< also the fetching forms
  file,                ///< MPI_File_*
  send_receive_start,  ///< MPI_Isendrecv, MPI_Isendrecv_replace
  collective_setup,    ///< MPI_Barrier_init …
  group,               ///< groups of processes, names of communicators: nobody else takes part
  window_attach,       ///< MPI_Win_attach, MPI_Win_detach
};

/// What a function is about, in the wording of the standard's chapters.
enum class Subject : std::uint8_t { other, point_to_point, collective, communicator, one_sided, file };

/// How a call relates to what it does.
enum class Form : std::uint8_t {
  blocking,  ///< it is done when the call returns
  starts,    ///< it may go on behind the call, until a request or a synchronisation completes it
  sets_up,   ///< persistent: MPI_Start starts it
  polls,     ///< the call asks whether it is done, and never waits
};

/// How many of its requests a call completes.
enum class Completes : std::uint8_t { none, one, any, some, all };

/// Where data go.
enum class Flow : std::uint8_t {
  none,
  out,        ///< from the caller to its partner
  in,         ///< from its partner to the caller
  both,       ///< both ways
  from_root,  ///< collective: from the root to all
  to_root,    ///< collective: from all to the root
  all,        ///< collective: members send to one another
};

/// What a call does to a file.
enum class FileAccess : std::uint8_t { none, management, read, write, position, synchronise };

struct Function {
  std::string_view name;  ///< "MPI_Send"
  FunctionId id = FunctionId::none;
  FunctionId standard = FunctionId::none;  ///< of MPI_Send_c: MPI_Send; else itself
  FunctionId blocking = FunctionId::none;  ///< does the same in one blocking call: MPI_Send of MPI_Isend,
                                           ///< MPI_Send_init; MPI_Wait of MPI_Test; else the standard one
  CallClass call = CallClass::none;
  Subject subject = Subject::other;
  Form form = Form::blocking;
  Collective collective = Collective::none;  ///< also of non-blocking and persistent forms, init and finalize
  CollectiveShape shape = CollectiveShape::none;
  RmaOperation rma = RmaOperation::none;
  Completes completes = Completes::none;
  Flow flow = Flow::none;
  FileAccess file = FileAccess::none;
  Operation operation = Operation::other;  ///< its call in pattern traces (operation.h)
  Operation started = Operation::other;    ///< of Operation::collective_init: what its start does
  bool by_all = false;         ///< collective, in the standard's words: all processes that share the object call
  bool makes_request = false;  ///< gives a request to the caller
  bool is_query = false;       ///< a cheap local question: recorded only when asked for
  bool is_bound = false;       ///< begins or ends MPI or a session, or asks about that
  bool makes_objects = false;  ///< makes, frees or describes what other calls use: communicators, groups, datatypes,
                               ///< windows, files
  bool is_local = false;       ///< it returns whatever other processes do: about datatypes, groups, attributes …
  std::int8_t root = -1;       ///< position of the argument that names the root, from 0; -1: no root
  std::uint8_t since = 10, until = 0;  ///< versions of MPI that have it, 31 = 3.1; until 0: the newest has it
  std::uint8_t extrae = 0;             ///< its value in Extrae's Paraver traces; 0: none
};

/// Its row; that of `none` for numbers out of range. FunctionId::other has the name "MPI" and class `other`.
const Function& function(FunctionId id);
inline const Function& function(unsigned number) {
  return function(number <= function_count ? static_cast<FunctionId>(number) : FunctionId::none);
}

/// The function that a region's name means: in C, Fortran (`mpi_send_`, `MPI_SEND`, `mpi_send_f08_`) or profiling
/// spelling
/// (`PMPI_Send`). Large-count forms give the standard function. `other` for an unknown MPI_ name, `none` for a name
/// that is not MPI's. O(1).
FunctionId find(std::string_view name);

/// The function of exactly this name; `none` if there is none. O(1).
FunctionId find_exactly(std::string_view name);

/// The blocking function of the operation; `none`'s row if no function has it.
const Function& function(Collective collective);

/// Wait and test family; MPI_Mrecv does not count.
inline bool completes_requests(CallClass c) {
  return c == CallClass::wait_single || c == CallClass::wait_multiple || c == CallClass::test;
}
inline bool is_rma_transfer(CallClass c) {
  return c == CallClass::put || c == CallClass::get || c == CallClass::accumulate;
}
/// create, free, fence
inline bool is_window_collective(CallClass c) {
  return c == CallClass::window_create || c == CallClass::window_free || c == CallClass::fence;
}

/// Makes, frees or synchronises processes through a window: also locks and flushes; no transfer, and nothing local.
inline bool works_through_window(const Function& f) {
  return f.subject == Subject::one_sided && !is_rma_transfer(f.call) && f.call != CallClass::window_attach &&
         f.call != CallClass::other;
}

/// What a non-blocking collective (MPI_Ibarrier, …) does; `none` if it is none.
inline Collective started_collective(const Function& f) {
  return f.call == CallClass::collective_start ? f.collective : Collective::none;
}
/// MPI_Rput, Rget, Raccumulate, Rget_accumulate.
inline bool is_request_based(const Function& f) { return is_rma_transfer(f.call) && f.makes_request; }
/// A call that a later one completes through its request: MPI_Isend, MPI_Start, MPI_Ibcast, MPI_Rput, MPI_File_iread.
inline bool starts_requests(const Function& f) {
  return f.form == Form::starts && (f.makes_request || f.call == CallClass::start) && f.call != CallClass::other &&
         f.call != CallClass::communicator;
}
/// MPI_Iprobe, MPI_Improbe, MPI_Test…: may find nothing, and then returns at once.
inline bool polls_messages(const Function& f) {
  return f.form == Form::polls &&
         (f.call == CallClass::test || f.call == CallClass::probe || f.call == CallClass::matched_probe);
}
/// get_accumulate, fetch_and_op or compare_and_swap; none for all other functions.
inline RmaOperation fetching_operation(const Function& f) {
  return f.call == CallClass::accumulate && f.flow == Flow::both ? f.rma : RmaOperation::none;
}

}  // namespace mora::mpi
