/// The event types and values that Extrae, Paraver's recorder, writes; these numbers have not changed since 2008.
/// Source: Extrae's user guide and sources (numbers only). Pure functions, thread-safe, static storage.
#pragma once

#include <cstdint>

namespace mora::trace::paraver::extrae {

inline constexpr std::uint64_t application = 40000001;  ///< 1 begins, 0 ends
inline constexpr std::uint64_t flush = 40000003;        ///< the recorder writes its buffer: 1 begins, 0 ends
inline constexpr std::uint64_t recording = 40000012;    ///< 1 on, 0 off
inline constexpr std::uint64_t counter_set = 41999999;  ///< which counters are measured
inline constexpr std::uint64_t first_counter = 42000000, last_counter = 43999999;
inline constexpr std::uint64_t mpi_point_to_point = 50000001;
inline constexpr std::uint64_t mpi_collective = 50000002;
inline constexpr std::uint64_t mpi_other = 50000003;
inline constexpr std::uint64_t mpi_one_sided = 50000004;
inline constexpr std::uint64_t mpi_io = 50000005;
inline constexpr std::uint64_t send_size = 50100001;  ///< of the collective that is entered
inline constexpr std::uint64_t receive_size = 50100002;
inline constexpr std::uint64_t is_root = 50100003;
inline constexpr std::uint64_t communicator = 50100004;
inline constexpr std::uint64_t openmp_function = 60000018;  ///< part of a function that threads run; value 0 ends
inline constexpr std::uint64_t user_function = 60000019;    ///< likewise, any function of the program
inline constexpr std::uint64_t thread_function = 60000020;  ///< likewise, what a POSIX thread runs
inline constexpr std::uint64_t function_lines = 100;        ///< + type of a function: where it is defined
inline constexpr std::uint64_t pthread_call = 61000000;     ///< likewise, of POSIX threads
inline constexpr std::uint64_t cuda_call = 63000001;        ///< likewise, of CUDA's library
inline constexpr std::uint64_t caller = 70000000;           ///< + level: function that called MPI
inline constexpr std::uint64_t caller_line = 80000000;      ///< + level: source line of that call
inline constexpr std::uint64_t most_callers = 100;

inline constexpr std::uint64_t win_start = 69, win_complete = 70;  ///< values of mpi_one_sided

constexpr bool is_mpi(std::uint64_t type) { return type >= mpi_point_to_point && type <= mpi_io; }
constexpr bool is_program_function(std::uint64_t type) { return type >= openmp_function && type <= thread_function; }
constexpr bool is_function_line(std::uint64_t type) { return is_program_function(type - function_lines); }
constexpr bool is_function(std::uint64_t type) {
  return is_program_function(type) || type == pthread_call || type == cuda_call;
}
constexpr bool is_counter(std::uint64_t type) { return type >= first_counter && type <= last_counter; }
constexpr bool is_caller(std::uint64_t type) {
  return (type > caller && type < caller + most_callers) || (type > caller_line && type < caller_line + most_callers);
}

/// "MPI_Send" for 1; nullptr for numbers that are none. The five MPI types share one numbering.
const char* mpi_function_name(std::uint64_t value);
/// "PAPI_TOT_INS" for 42000050; nullptr for counters whose name is not certain.
const char* counter_name(std::uint64_t type);
/// "Running" for 1; nullptr for unknown ones.
const char* state_name(std::uint64_t state);

}  // namespace mora::trace::paraver::extrae
