#include "mpi/operation.h"

#include <algorithm>
#include <array>

namespace mora::mpi {
namespace {

constexpr std::array<OperationInfo, operation_count> operations{{
#include "operation_rows.inc"
}};

}  // namespace

const OperationInfo& info(Operation operation) { return operations[static_cast<std::size_t>(operation)]; }

std::optional<Operation> operation_of_mpi_name(std::string_view name) {
  const auto found =
      std::find_if(operations.begin(), operations.end(), [&](const auto& o) { return o.mpi_name == name; });
  if (found == operations.end()) return std::nullopt;
  return static_cast<Operation>(found - operations.begin());
}

Operation operation_of(Collective collective, bool started) {
  const Operation blocking = function(collective).operation;
  if (!started || blocking == Operation::other) return blocking;
  const auto found = std::find_if(operations.begin(), operations.end(),
                                  [&](const auto& o) { return o.starts_request && o.blocking == blocking; });
  return static_cast<Operation>(found - operations.begin());
}

}  // namespace mora::mpi
