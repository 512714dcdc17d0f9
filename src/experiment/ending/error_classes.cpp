/// Error classes have numbers of their own in each library (mpi.h).
#include <fmt/format.h>

#include <string_view>

#include "experiment/ending/ending.h"

namespace mora::experiment {
namespace {

// From 1, with blanks between.
constexpr std::string_view openmpi_classes =
    "BUFFER COUNT TYPE TAG COMM RANK REQUEST ROOT GROUP OP TOPOLOGY DIMS ARG UNKNOWN TRUNCATE OTHER INTERN IN_STATUS "
    "PENDING ACCESS AMODE ASSERT BAD_FILE BASE CONVERSION DISP DUP_DATAREP FILE_EXISTS FILE_IN_USE FILE INFO_KEY "
    "INFO_NOKEY INFO_VALUE INFO IO KEYVAL LOCKTYPE NAME NO_MEM NOT_SAME NO_SPACE NO_SUCH_FILE PORT QUOTA READ_ONLY "
    "RMA_CONFLICT RMA_SYNC SERVICE SIZE SPAWN UNSUPPORTED_DATAREP UNSUPPORTED_OPERATION WIN ";
constexpr std::string_view mpich_classes =
    "BUFFER COUNT TYPE TAG COMM RANK ROOT GROUP OP TOPOLOGY DIMS ARG UNKNOWN TRUNCATE OTHER INTERN IN_STATUS PENDING "
    "REQUEST ACCESS AMODE BAD_FILE CONVERSION DUP_DATAREP FILE_EXISTS FILE_IN_USE FILE INFO INFO_KEY INFO_VALUE "
    "INFO_NOKEY IO NAME NO_MEM NOT_SAME NO_SPACE NO_SUCH_FILE PORT QUOTA READ_ONLY SERVICE SPAWN UNSUPPORTED_DATAREP "
    "UNSUPPORTED_OPERATION WIN BASE LOCKTYPE KEYVAL RMA_CONFLICT RMA_SYNC SIZE DISP ASSERT ";

}  // namespace

std::string error_class_name(bool is_openmpi, int error_class) {
  std::string_view names = is_openmpi ? openmpi_classes : mpich_classes;
  for (int i = 1; i < error_class && !names.empty(); ++i) names.remove_prefix(names.find(' ') + 1);
  if (error_class < 1 || names.empty()) return fmt::format("error class {}", error_class);
  return fmt::format("MPI_ERR_{}", names.substr(0, names.find(' ')));
}

}  // namespace mora::experiment
