#include "trace/mpi_function.h"

#include <array>
#include <cctype>
#include <string>
#include <unordered_map>

namespace mora::trace {
namespace {

constexpr std::size_t function_count = static_cast<std::size_t>(MpiFunction::count);

constexpr std::array<MpiFunctionInfo, function_count> table{{
    {"", CallClass::none, Collective::none},
    {"MPI", CallClass::other, Collective::none},
#define MORA_MPI_FUNCTION(enumerator, name, call_class, collective) \
  {name, CallClass::call_class, Collective::collective},
#include "trace/mpi_functions.inc"
#undef MORA_MPI_FUNCTION
}};

void drop_suffix(std::string& text, std::string_view suffix) {
  if (text.size() > suffix.size() && std::string_view(text).substr(text.size() - suffix.size()) == suffix)
    text.resize(text.size() - suffix.size());
}

/// "PMPI_SEND_f08_", "MPI_Send_c" -> "mpi_send".
std::string normalised(std::string_view name) {
  std::string key;
  key.reserve(name.size());
  for (const char c : name) key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (key.rfind("pmpi_", 0) == 0) key.erase(0, 1);
  while (key.size() > 4 && key.back() == '_') key.pop_back();
  drop_suffix(key, "_f08ts");
  drop_suffix(key, "_f08");
  drop_suffix(key, "_c");
  return key;
}

/// Table of all names, made at the first call and never freed (so that it outlives static objects).
const std::unordered_map<std::string, MpiFunction>& by_name() {
  static const auto* const map = [] {
    auto* m = new std::unordered_map<std::string, MpiFunction>;
    for (std::size_t i = 2; i < function_count; ++i) (*m)[normalised(table[i].name)] = static_cast<MpiFunction>(i);
    return m;
  }();
  return *map;
}

}  // namespace

MpiFunction mpi_function(std::string_view region_name) {
  if (region_name.size() < 5) return MpiFunction::none;
  const std::string key = normalised(region_name);
  if (key.rfind("mpi_", 0) != 0) return MpiFunction::none;
  const auto found = by_name().find(key);
  return found == by_name().end() ? MpiFunction::other : found->second;
}

const MpiFunctionInfo& mpi_function_info(MpiFunction function) {
  const auto index = static_cast<std::size_t>(function);
  return table[index < function_count ? index : 0];
}

bool blocks_in_send(CallClass c) { return c == CallClass::send || c == CallClass::send_receive; }

bool completes_requests(CallClass c) {
  return c == CallClass::wait_single || c == CallClass::wait_multiple || c == CallClass::test;
}

bool is_test(CallClass c) { return c == CallClass::test || c == CallClass::test_epoch; }

Collective started_collective(const Region& region) {
  const MpiFunctionInfo& info = mpi_function_info(region);
  if (info.call_class != CallClass::collective_start || info.name.substr(0, 5) != "MPI_I") return Collective::none;
  std::string blocking_name = "MPI_" + std::string(info.name.substr(5));
  blocking_name[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(blocking_name[4])));
  const Collective blocking = mpi_function_info(mpi_function(blocking_name)).collective;
  return blocking == Collective::none ? Collective::other : blocking;
}

RmaOperation fetching_operation(const Region& region) {
  switch (static_cast<MpiFunction>(region.function)) {
    case MpiFunction::get_accumulate:
    case MpiFunction::rget_accumulate:
      return RmaOperation::get_accumulate;
    case MpiFunction::fetch_and_op:
      return RmaOperation::fetch_and_op;
    case MpiFunction::compare_and_swap:
      return RmaOperation::compare_and_swap;
    default:
      return RmaOperation::none;
  }
}

bool is_rma(CallClass c) { return c >= CallClass::window_create && c <= CallClass::accumulate; }

bool is_rma_transfer(CallClass c) { return c == CallClass::put || c == CallClass::get || c == CallClass::accumulate; }

bool is_window_collective(CallClass c) {
  return c == CallClass::window_create || c == CallClass::window_free || c == CallClass::fence;
}

CollectiveShape shape(Collective collective) {
  switch (collective) {
    case Collective::barrier:
      return CollectiveShape::barrier;
    case Collective::bcast:
    case Collective::scatter:
    case Collective::scatterv:
      return CollectiveShape::one_to_all;
    case Collective::gather:
    case Collective::gatherv:
    case Collective::reduce:
      return CollectiveShape::all_to_one;
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw:
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return CollectiveShape::all_to_all;
    case Collective::scan:
    case Collective::exscan:
      return CollectiveShape::prefix;
    default:
      return CollectiveShape::none;
  }
}

RmaOperation rma_operation(CallClass c) {
  switch (c) {
    case CallClass::window_create:
      return RmaOperation::win_create;
    case CallClass::window_free:
      return RmaOperation::win_free;
    case CallClass::fence:
      return RmaOperation::fence;
    case CallClass::post:
      return RmaOperation::post;
    case CallClass::start_epoch:
      return RmaOperation::start;
    case CallClass::complete:
      return RmaOperation::complete;
    case CallClass::wait_epoch:
      return RmaOperation::wait;
    case CallClass::test_epoch:
      return RmaOperation::test;
    case CallClass::put:
      return RmaOperation::put;
    case CallClass::get:
      return RmaOperation::get;
    case CallClass::accumulate:
      return RmaOperation::accumulate;
    default:
      return RmaOperation::none;
  }
}

}  // namespace mora::trace
