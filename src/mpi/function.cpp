#include "mpi/function.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <unordered_map>

namespace mora::mpi {
namespace {

constexpr std::array<Function, function_count + 2> table{{
    {},
#include "function_rows.inc"
    {"MPI", FunctionId::other, FunctionId::other, FunctionId::other, CallClass::other},
}};

void drop_suffix(std::string& text, std::string_view suffix) {
  if (text.size() > suffix.size() && std::string_view(text).ends_with(suffix)) text.resize(text.size() - suffix.size());
}

/// "PMPI_SEND_f08_", "MPI_Send_c" -> "mpi_send".
std::string normalised(std::string_view name) {
  std::string key;
  key.reserve(name.size());
  for (const char c : name) key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (key.starts_with("pmpi_")) key.erase(0, 1);
  while (key.size() > 4 && key.back() == '_') key.pop_back();
  drop_suffix(key, "_f08ts");
  drop_suffix(key, "_f08");
  drop_suffix(key, "_c");
  return key;
}

using Names = std::unordered_map<std::string, FunctionId>;

/// Tables of names, made at the first call and never freed (so that they outlive static objects).
const Names& normalised_names() {
  static const auto* const map = [] {
    auto* m = new Names;
    for (const Function& f : table)
      if (f.id != FunctionId::other && f.id == f.standard) m->emplace(normalised(f.name), f.id);
    return m;
  }();
  return *map;
}

const Names& exact_names() {
  static const auto* const map = [] {
    auto* m = new Names;
    for (const Function& f : table)
      if (f.id != FunctionId::other) m->emplace(f.name, f.id);
    return m;
  }();
  return *map;
}

using ByCollective = std::array<const Function*, collective_count>;

const ByCollective& blocking_functions() {
  static const ByCollective all = [] {
    ByCollective by;
    by.fill(table.data());
    for (const Function& f : table)
      if (f.call == CallClass::collective && f.id == f.standard) by[static_cast<std::size_t>(f.collective)] = &f;
    return by;
  }();
  return all;
}

}  // namespace

const Function& function(FunctionId id) {
  const auto index = static_cast<std::size_t>(id);
  return table[index < table.size() ? index : 0];
}

FunctionId find(std::string_view name) {
  if (name.size() < 5) return FunctionId::none;
  const std::string key = normalised(name);
  if (!key.starts_with("mpi_")) return FunctionId::none;
  const auto found = normalised_names().find(key);
  return found == normalised_names().end() ? FunctionId::other : found->second;
}

FunctionId find_exactly(std::string_view name) {
  const auto found = exact_names().find(std::string(name));
  return found == exact_names().end() ? FunctionId::none : found->second;
}

const Function& function(Collective collective) {
  const auto index = static_cast<std::size_t>(collective);
  return index < collective_count ? *blocking_functions()[index] : table[0];
}

CollectiveShape shape(Collective collective) { return function(collective).shape; }

namespace {
constexpr std::array<const char*, reduction_count> reductions = {
    "",        "MPI_MAX",  "MPI_MIN",  "MPI_SUM",    "MPI_PROD",   "MPI_LAND",    "MPI_BAND", "MPI_LOR",
    "MPI_BOR", "MPI_LXOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP"};
}  // namespace

const char* to_string(Reduction reduction) { return reductions[static_cast<std::size_t>(reduction)]; }

Reduction reduction_named(std::string_view name) {
  const auto found = std::find(reductions.begin(), reductions.end(), name);
  return found == reductions.end() ? Reduction::unknown : static_cast<Reduction>(found - reductions.begin());
}

const char* to_string(Collective collective) {
  static constexpr std::array<const char*, collective_count> names = {"none",
                                                                      "barrier",
                                                                      "bcast",
                                                                      "gather",
                                                                      "gatherv",
                                                                      "scatter",
                                                                      "scatterv",
                                                                      "allgather",
                                                                      "allgatherv",
                                                                      "alltoall",
                                                                      "alltoallv",
                                                                      "alltoallw",
                                                                      "allreduce",
                                                                      "reduce",
                                                                      "reduce_scatter",
                                                                      "reduce_scatter_block",
                                                                      "scan",
                                                                      "exscan",
                                                                      "create_handle",
                                                                      "destroy_handle",
                                                                      "allocate",
                                                                      "deallocate",
                                                                      "init",
                                                                      "finalize",
                                                                      "other",
                                                                      "neighbor_allgather",
                                                                      "neighbor_allgatherv",
                                                                      "neighbor_alltoall",
                                                                      "neighbor_alltoallv",
                                                                      "neighbor_alltoallw"};
  const auto index = static_cast<std::size_t>(collective);
  return index < collective_count ? names[index] : "other";
}

}  // namespace mora::mpi
