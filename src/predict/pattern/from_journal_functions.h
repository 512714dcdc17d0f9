/// Which operation of a pattern trace an MPI function is.
#pragma once

#include <vector>

#include "predict/pattern/operation.h"

namespace mora::predict {

struct FunctionOperation {
  Operation operation = Operation::other;
  Operation started = Operation::other;  ///< of collective_init: what its MPI_Start does, as a non-blocking operation
  bool file_request = false;             ///< MPI_File_iread and the like: its request is none of communication
};

/// By function id (measure/mpi/function_table.h); made once, thread-safe.
const std::vector<FunctionOperation>& function_operations();

}  // namespace mora::predict
