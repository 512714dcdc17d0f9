#include "predict/pattern/operation.h"

#include <array>

namespace mora::predict {
namespace {

constexpr std::array table{
#define MORA_OPERATION(id, mpi, mini, kind, vector) \
  OperationInfo{mpi, std::string_view(mini).empty() ? mpi : mini, OperationClass::kind, vector != 0},
    MORA_OPERATIONS(MORA_OPERATION)
#undef MORA_OPERATION
};

}  // namespace

const OperationInfo& info(Operation operation) { return table[static_cast<std::size_t>(operation)]; }

std::optional<Operation> operation_of_mpi_name(std::string_view name) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].mpi_name == name) return static_cast<Operation>(i);
  return std::nullopt;
}

std::size_t operation_count() { return table.size(); }

bool starts_request(Operation operation) {
  switch (operation) {
    case Operation::isend:
    case Operation::ibsend:
    case Operation::irsend:
    case Operation::issend:
    case Operation::irecv:
    case Operation::imrecv:
    case Operation::start_send:
    case Operation::start_recv:
    case Operation::start_collective:
    case Operation::comm_idup:
    case Operation::rput:
    case Operation::rget:
    case Operation::raccumulate:
    case Operation::rget_accumulate:
      return true;
    default:
      return blocking_form(operation) != operation;
  }
}

Operation blocking_form(Operation operation) {
  const auto distance = static_cast<int>(Operation::ibarrier) - static_cast<int>(Operation::barrier);
  const auto neighbors =
      static_cast<int>(Operation::ineighbor_allgather) - static_cast<int>(Operation::neighbor_allgather);
  if (operation >= Operation::ibarrier && operation <= Operation::iexscan)
    return static_cast<Operation>(static_cast<int>(operation) - distance);
  if (operation >= Operation::ineighbor_allgather && operation <= Operation::ineighbor_alltoallw)
    return static_cast<Operation>(static_cast<int>(operation) - neighbors);
  return operation;
}

static_assert(static_cast<int>(Operation::iexscan) - static_cast<int>(Operation::exscan) ==
              static_cast<int>(Operation::ibarrier) - static_cast<int>(Operation::barrier));

}  // namespace mora::predict
