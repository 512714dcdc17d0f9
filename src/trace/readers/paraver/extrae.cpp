#include "trace/readers/paraver/extrae.h"

#include <array>
#include <iterator>

#include "mpi/function.h"

namespace mora::trace::paraver::extrae {
namespace {

constexpr const char* state_names[] = {"Idle",
                                       "Running",
                                       "Not created",
                                       "Waiting a message",
                                       "Blocking Send",
                                       "Synchronization",
                                       "Test/Probe",
                                       "Scheduling and Fork/Join",
                                       "Wait/WaitAll",
                                       "Blocked",
                                       "Immediate Send",
                                       "Immediate Receive",
                                       "I/O",
                                       "Group Communication",
                                       "Tracing Disabled",
                                       "Others",
                                       "Send Receive",
                                       "Memory transfer",
                                       "Profiling",
                                       "On-line analysis",
                                       "Remote memory access",
                                       "Atomic memory operation",
                                       "Memory ordering operation",
                                       "Distributed locking"};

}  // namespace

const char* mpi_function_name(std::uint64_t value) {
  static const auto names = [] {
    std::array<const char*, UINT8_MAX + 1> all{};
    for (unsigned id = 1; id <= mpi::function_count; ++id) {
      const mpi::Function& f = mpi::function(id);
      if (f.extrae != 0) all[f.extrae] = f.name.data();
    }
    return all;
  }();
  return value < names.size() ? names[value] : nullptr;
}

const char* counter_name(std::uint64_t type) {
  switch (type) {
    case 42000000:
      return "PAPI_L1_DCM";
    case 42000002:
      return "PAPI_L2_DCM";
    case 42000008:
      return "PAPI_L3_TCM";
    case 42000046:
      return "PAPI_BR_MSP";
    case 42000050:
      return "PAPI_TOT_INS";
    case 42000055:
      return "PAPI_BR_INS";
    case 42000059:
      return "PAPI_TOT_CYC";
    default:
      return nullptr;
  }
}

const char* state_name(std::uint64_t state) { return state < std::size(state_names) ? state_names[state] : nullptr; }

}  // namespace mora::trace::paraver::extrae
