/// The calls of a pattern trace: one closed list, with their names and what they mean for the pattern. Most are a
/// function of the table, some stand for several (functions.txt, op=). Numbers stand in trace.mpt and never change.
/// Sources: MPI-3.1; the spellings of text traces: Kotomatas 2018, Table 3.1 and 3.3. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mpi/function.h"

namespace mora::mpi {

/// What a call moves, and so how it enters matrices and the parser's output.
enum class OperationClass : std::uint8_t {
  local,     ///< nothing moves: init, wait, test, …; the *_init forms of persistent calls, too (their starts move)
  send,      ///< one message leaves: sends, MPI_Start of a persistent one
  receive,   ///< one message arrives
  sendrecv,  ///< both
  rooted,    ///< collective with a root; Call::peer is it
  rootless,  ///< collective without
  neighborhood,  ///< collective along a topology's edges; counts per neighbour in the vectors
  one_sided,     ///< put, get, accumulate: Call::peer is the target
  communicator,  ///< makes or frees a communicator
  window,        ///< makes, frees, synchronises a window
  file,          ///< MPI-IO: bytes to or from files, no messages
  phase,         ///< phase_begin, phase_end: Call::argument is the phase
};

struct OperationInfo {
  std::string_view mpi_name;  ///< without "MPI_"
  std::string_view spelling;  ///< as written in text traces: MinI's where it has one, else the MPI name
  OperationClass kind = OperationClass::local;
  bool vector = false;                     ///< collectives with counts per peer
  bool starts_request = false;             ///< a later call completes it: isend, irecv, ibcast, rput, start_send, …
  Operation blocking = Operation::other;   ///< ibcast: bcast; any other operation is its own
  FunctionId function = FunctionId::none;  ///< whose row tells the rest
};

/// Constant time; the texts are static.
const OperationInfo& info(Operation operation);
/// By MPI name without prefix ("Sendrecv_replace"), exactly.
std::optional<Operation> operation_of_mpi_name(std::string_view name);
inline bool starts_request(Operation operation) { return info(operation).starts_request; }
inline Operation blocking_form(Operation operation) { return info(operation).blocking; }
/// The function's row; that of `none` for operations that are no function of their own.
inline const Function& function(Operation operation) { return function(info(operation).function); }
/// `started`: as a non-blocking operation. `other` for kinds that no call of a pattern trace has.
Operation operation_of(Collective collective, bool started);

}  // namespace mora::mpi
