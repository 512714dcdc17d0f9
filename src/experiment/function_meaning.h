/// What the converter must know of an MPI function beyond its record's shape.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "archive/mpi_functions.h"

namespace mora::experiment {

enum class Meaning : std::uint8_t {
  plain,
  put,
  get,
  atomic,
  window_create,
  window_free,
  fence,
  post,
  start,
  complete,
  wait,
  test,
  lock,
  unlock,
  flush,
  flush_local
};

struct Function {
  Meaning meaning = Meaning::plain;
  std::optional<archive::CollectiveForm> collective;
  std::optional<archive::FileOperation> file;
  OTF2_RmaAtomicType atomic = OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
  bool takes_level = false;  ///< MPI_Pcontrol
  bool allocates = false;    ///< MPI_Win_allocate, MPI_Win_allocate_shared
};

/// By function id; made at the first call. Thread-safe.
const std::vector<Function>& functions();

}  // namespace mora::experiment
