#include "predict/pattern/from_journal_functions.h"

#include <cctype>
#include <string>
#include <string_view>

#include "measure/mpi/function_table.h"

namespace mora::predict {
namespace {

/// Names that are not, or not only, their own operation.
Operation special(std::string_view name) {
  const auto is = [&](auto... names) { return ((name == names) || ...); };
  if (is("Init_thread")) return Operation::init;
  if (is("Send_init", "Bsend_init", "Rsend_init", "Ssend_init")) return Operation::send_init;
  if (is("Comm_dup_with_info")) return Operation::comm_dup;
  if (is("Comm_idup_with_info")) return Operation::comm_idup;
  if (is("Comm_disconnect")) return Operation::comm_free;
  if (is("Comm_create_from_group")) return Operation::comm_create_group;
  if (is("Intercomm_create_from_groups")) return Operation::intercomm_create;
  if (is("Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect", "Comm_join")) return Operation::comm_other;
  if (is("Win_allocate", "Win_allocate_shared", "Win_create_dynamic")) return Operation::win_create;
  if (is("Win_test")) return Operation::win_wait;
  if (is("Win_lock_all")) return Operation::win_lock;
  if (is("Win_unlock_all")) return Operation::win_unlock;
  if (is("Win_flush_all", "Win_flush_local", "Win_flush_local_all")) return Operation::win_flush;
  if (name.starts_with("File_") && !name.ends_with("_end")) {
    for (const auto* start : {"File_read", "File_iread"})
      if (name.starts_with(start)) return Operation::file_read;
    for (const auto* start : {"File_write", "File_iwrite"})
      if (name.starts_with(start)) return Operation::file_write;
  }
  return Operation::other;
}

FunctionOperation operation_of(std::string_view name) {
  if (!name.starts_with("MPI_")) return {};
  name.remove_prefix(4);
  if (const auto known = special(name); known != Operation::other)
    return {known, Operation::other, name.starts_with("File_i")};
  if (name.ends_with("_init") && name != "Recv_init") {  // MPI_Bcast_init: its start is an MPI_Ibcast
    std::string started = "I" + std::string(name.substr(0, name.size() - 5));
    if (started.size() > 1) started[1] = static_cast<char>(std::tolower(static_cast<unsigned char>(started[1])));
    if (const auto known = operation_of_mpi_name(started)) return {Operation::collective_init, *known, false};
  }
  return {operation_of_mpi_name(name).value_or(Operation::other), Operation::other, false};
}

}  // namespace

const std::vector<FunctionOperation>& function_operations() {
  static const std::vector<FunctionOperation> table = [] {
    std::vector<FunctionOperation> operations(mora_function_count() + 1);
    for (unsigned id = 1; id < operations.size(); ++id)
      if (const char* name = mora_function_name(id)) operations[id] = operation_of(name);
    return operations;
  }();
  return table;
}

}  // namespace mora::predict
