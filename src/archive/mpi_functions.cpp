#include "archive/mpi_functions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace mora::archive {
namespace {

/// Large-count forms mean the same.
std::string_view without_large_count(std::string_view name) {
  if (name.size() > 2 && name.substr(name.size() - 2) == "_c") name.remove_suffix(2);
  return name;
}

constexpr std::array<std::pair<std::string_view, OTF2_CollectiveOp>, 17> operations{{
    {"MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER},
    {"MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST},
    {"MPI_Gather", OTF2_COLLECTIVE_OP_GATHER},
    {"MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV},
    {"MPI_Scatter", OTF2_COLLECTIVE_OP_SCATTER},
    {"MPI_Scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
    {"MPI_Allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"MPI_Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"MPI_Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"MPI_Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"MPI_Reduce", OTF2_COLLECTIVE_OP_REDUCE},
    {"MPI_Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"MPI_Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"MPI_Scan", OTF2_COLLECTIVE_OP_SCAN},
    {"MPI_Exscan", OTF2_COLLECTIVE_OP_EXSCAN},
}};

constexpr std::string_view point_to_point[] = {"MPI_Send",          "MPI_Bsend",
                                               "MPI_Ssend",         "MPI_Rsend",
                                               "MPI_Isend",         "MPI_Ibsend",
                                               "MPI_Issend",        "MPI_Irsend",
                                               "MPI_Recv",          "MPI_Irecv",
                                               "MPI_Mrecv",         "MPI_Imrecv",
                                               "MPI_Sendrecv",      "MPI_Sendrecv_replace",
                                               "MPI_Isendrecv",     "MPI_Isendrecv_replace",
                                               "MPI_Probe",         "MPI_Iprobe",
                                               "MPI_Mprobe",        "MPI_Improbe",
                                               "MPI_Wait",          "MPI_Waitall",
                                               "MPI_Waitany",       "MPI_Waitsome",
                                               "MPI_Test",          "MPI_Testall",
                                               "MPI_Testany",       "MPI_Testsome",
                                               "MPI_Start",         "MPI_Startall",
                                               "MPI_Send_init",     "MPI_Bsend_init",
                                               "MPI_Ssend_init",    "MPI_Rsend_init",
                                               "MPI_Recv_init",     "MPI_Cancel",
                                               "MPI_Request_free",  "MPI_Test_cancelled",
                                               "MPI_Buffer_attach", "MPI_Buffer_detach",
                                               "MPI_Get_count"};

constexpr std::string_view transfers[] = {
    "MPI_Put",  "MPI_Get",  "MPI_Accumulate",  "MPI_Get_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap",
    "MPI_Rput", "MPI_Rget", "MPI_Raccumulate", "MPI_Rget_accumulate"};

template <std::size_t n>
bool contains(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

std::optional<OTF2_CollectiveOp> collective_operation(std::string_view function) {
  const auto name = without_large_count(function);
  for (const auto& [known, op] : operations)
    if (known == name) return op;
  return std::nullopt;
}

std::optional<CollectiveForm> collective_form(std::string_view function) {
  constexpr std::string_view prefix = "MPI_", neighbor = "neighbor_", init = "_init";
  CollectiveForm form;
  std::string name(without_large_count(function));
  if (name.size() <= prefix.size() || name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  name.erase(0, prefix.size());
  if (name.size() > init.size() && name.compare(name.size() - init.size(), init.size(), init) == 0) {
    form.kind = CollectiveForm::persistent;
    name.resize(name.size() - init.size());
  } else if (name[0] == 'I' && name.size() > 1) {
    form.kind = CollectiveForm::non_blocking;
    name.erase(0, 1);
  }
  name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  if (name.compare(0, neighbor.size(), neighbor) == 0) {
    form.neighborhood = true;
    name.erase(0, neighbor.size());
  }
  if (name.empty()) return std::nullopt;
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  const auto op = collective_operation("MPI_" + name);
  if (!op) return std::nullopt;
  form.op = *op;
  return form;
}

std::optional<FileOperation> file_operation(std::string_view function) {
  auto name = without_large_count(function);
  constexpr std::string_view prefix = "MPI_File_";
  if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
  name.remove_prefix(prefix.size());
  const auto starts = [&](std::string_view with) { return name.substr(0, with.size()) == with; };
  const auto ends = [&](std::string_view with) {
    return name.size() > with.size() && name.substr(name.size() - with.size()) == with;
  };
  FileOperation o;
  const bool immediate = starts("iread") || starts("iwrite");
  if (!immediate && !starts("read") && !starts("write")) return std::nullopt;
  if (ends("_end")) return std::nullopt;  // it completes what was begun
  o.writes = starts("write") || starts("iwrite");
  o.collective = name.find("_all") != name.npos || name.find("_ordered") != name.npos;
  o.completes_later = immediate || ends("_begin");
  return o;
}

OTF2_RegionRole region_role(std::string_view function) {
  if (const auto op = collective_operation(function)) {
    switch (*op) {
      case OTF2_COLLECTIVE_OP_BARRIER:
        return OTF2_REGION_ROLE_BARRIER;
      case OTF2_COLLECTIVE_OP_BCAST:
      case OTF2_COLLECTIVE_OP_SCATTER:
      case OTF2_COLLECTIVE_OP_SCATTERV:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
      case OTF2_COLLECTIVE_OP_GATHER:
      case OTF2_COLLECTIVE_OP_GATHERV:
      case OTF2_COLLECTIVE_OP_REDUCE:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
      case OTF2_COLLECTIVE_OP_SCAN:
      case OTF2_COLLECTIVE_OP_EXSCAN:
        return OTF2_REGION_ROLE_COLL_OTHER;
      default:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    }
  }
  const auto name = without_large_count(function);
  if (contains(point_to_point, name)) return OTF2_REGION_ROLE_POINT2POINT;
  if (contains(transfers, name) || name.substr(0, 8) == "MPI_Win_") return OTF2_REGION_ROLE_RMA;
  if (name.substr(0, 9) == "MPI_File_") return OTF2_REGION_ROLE_FILE_IO;
  return OTF2_REGION_ROLE_FUNCTION;
}

}  // namespace mora::archive
