/// One sentence per class of calls.
#include "predict/prediction/unmodelled.h"

namespace mora::predict {

using mpi::CallClass;
using mpi::Collective;

namespace {

/// Of a call on a window that was measured: what stands for what `mora calibrate` does not measure by itself.
std::string stand_in_of(const mpi::Function& function, const UsedWindows& windows) {
  std::string how;
  switch (function.call) {
    case CallClass::accumulate:
      how = "at the cost of MPI_SUM of 64-bit integers";
      if (function.rma == mpi::RmaOperation::fetch_and_op || function.rma == mpi::RmaOperation::compare_and_swap)
        how += " by MPI_Get_accumulate";
      break;
    case CallClass::window_create:
      if (function.id != mpi::FunctionId::win_create) how = "at the cost of MPI_Win_create";
      break;
    case CallClass::lock:
      if (windows.shares_locks) how = "a shared lock at the cost of an exclusive one";
      break;
    default:
      break;
  }
  if (windows.most_ranks > 2 && mpi::is_window_collective(function.call))
    how += std::string(how.empty() ? "" : ", ") + "as of two ranks for each doubling of the ranks";
  return how;
}

}  // namespace

std::string approximation_of(const mpi::Function& function, bool is_measured, const UsedWindows& windows) {
  switch (function.call) {
    case CallClass::probe:
    case CallClass::matched_probe:
      return "waits until the message is handed over; finding it costs nothing";
    case CallClass::test:
      return "asking costs nothing; what it completes is modelled";
    case CallClass::collective_start:
      return "goes on by itself and lasts what its algorithm lasts from a common start";
    case CallClass::collective:
      if (mpi::is_neighborhood(function.collective)) return "waits for its neighbours; its messages cost nothing";
      return "";
    case CallClass::communicator:
      return "waits for its members; its messages cost nothing";
    case CallClass::file:
      return "lasts what it lasted";
    case CallClass::other:
    case CallClass::collective_setup:
    case CallClass::window_attach:
      return "local: lasts what it lasted";
    default:
      if (is_measured) return stand_in_of(function, windows);
      if (mpi::is_rma_transfer(function.call)) return "a message without a receiver (not calibrated)";
      if (function.id == mpi::FunctionId::win_lock_all) return "asks nobody, and costs nothing";
      return mpi::works_through_window(function) ? "by point-to-point costs (not calibrated)" : "";
  }
}

std::string kind_of(const mpi::Function& function) {
  switch (function.subject) {
    case mpi::Subject::point_to_point:
      return "point-to-point";
    case mpi::Subject::collective:
      return "collective";
    case mpi::Subject::one_sided:
      return "one-sided";
    case mpi::Subject::file:
      return "file";
    default:
      return "other";
  }
}

}  // namespace mora::predict
