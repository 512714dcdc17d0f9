/// One sentence per class of calls.
#include "predict/prediction/unmodelled.h"

namespace mora::predict {

using mpi::CallClass;
using mpi::Collective;

std::string approximation_of(const mpi::Function& function, bool is_measured, std::uint32_t ranks) {
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
      if (is_measured)
        return ranks > 2 && mpi::is_window_collective(function.call) ? "as of two ranks for each doubling of the ranks"
                                                                     : "";
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
