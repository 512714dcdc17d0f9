#include "experiment/function_meaning.h"

#include <string_view>

#include "measure/mpi/function_table.h"

namespace mora::experiment {
namespace {

Function describe(std::string_view name) {
  Function f;
  f.collective = archive::collective_form(name);
  f.file = archive::file_operation(name);
  if (name.size() > 2 && name.substr(name.size() - 2) == "_c") name.remove_suffix(2);
  auto is = [&](auto... names) { return ((name == names) || ...); };
  if (is("MPI_Put", "MPI_Rput", "MPI_Accumulate", "MPI_Raccumulate")) f.meaning = Meaning::put;
  if (is("MPI_Get", "MPI_Rget")) f.meaning = Meaning::get;
  if (is("MPI_Get_accumulate", "MPI_Rget_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap")) {
    f.meaning = Meaning::atomic;
    f.atomic =
        is("MPI_Compare_and_swap") ? OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
  }
  if (is("MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic"))
    f.meaning = Meaning::window_create;
  f.takes_level = is("MPI_Pcontrol");
  f.allocates = is("MPI_Win_allocate", "MPI_Win_allocate_shared");
  if (is("MPI_Win_free")) f.meaning = Meaning::window_free;
  if (is("MPI_Win_fence")) f.meaning = Meaning::fence;
  if (is("MPI_Win_post")) f.meaning = Meaning::post;
  if (is("MPI_Win_start")) f.meaning = Meaning::start;
  if (is("MPI_Win_complete")) f.meaning = Meaning::complete;
  if (is("MPI_Win_wait")) f.meaning = Meaning::wait;
  if (is("MPI_Win_test")) f.meaning = Meaning::test;
  if (is("MPI_Win_lock", "MPI_Win_lock_all")) f.meaning = Meaning::lock;
  if (is("MPI_Win_unlock", "MPI_Win_unlock_all")) f.meaning = Meaning::unlock;
  if (is("MPI_Win_flush", "MPI_Win_flush_all")) f.meaning = Meaning::flush;
  if (is("MPI_Win_flush_local", "MPI_Win_flush_local_all")) f.meaning = Meaning::flush_local;
  return f;
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> table = [] {
    std::vector<Function> t(mora_function_count() + 1);
    for (unsigned id = 1; id < t.size(); ++id)
      if (const char* name = mora_function_name(id)) t[id] = describe(name);
    return t;
  }();
  return table;
}

}  // namespace mora::experiment
