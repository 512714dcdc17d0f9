/// One row for each class of calls.
#include "replay/actions/window_call.h"

namespace mora::replay {

WindowCall window_call_of(const mpi::Function& function) {
  using mpi::CallClass;
  using mpi::FunctionId;
  switch (function.call) {
    case CallClass::put:
      return WindowCall::put;
    case CallClass::get:
      return WindowCall::get;
    case CallClass::accumulate:
      return mpi::fetching_operation(function) == mpi::RmaOperation::none ? WindowCall::accumulate : WindowCall::fetch;
    case CallClass::fence:
      return WindowCall::fence;
    case CallClass::window_create:
      return WindowCall::create;
    case CallClass::window_free:
      return WindowCall::free;
    case CallClass::post:
      return WindowCall::post;
    case CallClass::start_epoch:
      return WindowCall::start;
    case CallClass::complete:
      return WindowCall::complete;
    case CallClass::wait_epoch:
      return WindowCall::wait;
    case CallClass::lock:
      return WindowCall::lock;
    case CallClass::unlock:
      return WindowCall::unlock;
    case CallClass::passive_other:
      if (function.id == FunctionId::win_lock_all) return WindowCall::lock_all;
      if (function.id == FunctionId::win_unlock_all) return WindowCall::unlock_all;
      return function.id == FunctionId::win_sync ? WindowCall::none : WindowCall::flush;
    default:
      return WindowCall::none;
  }
}

}  // namespace mora::replay
