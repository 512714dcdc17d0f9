/// The calls of a pattern trace are those of the table of MPI (mpi/operation.h).
#pragma once

#include "mpi/operation.h"

namespace mora::predict {

using mpi::Operation;
using mpi::OperationClass;
using mpi::OperationInfo;

}  // namespace mora::predict
