/// What events refer to: locations, regions, communicators, windows, groups, files, metrics.
///
/// Ids are dense indices (0, 1, 2, …) into the vectors of `Definitions`, the same for all locations; readers translate
/// the ids of their format. `no_id` means "unknown" or "none". Plain data: filled by one thread while a trace is
/// opened, read by any number of threads afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers/cartesian_grid.h"
#include "base/text/source_place.h"
#include "base/time.h"
#include "mpi/function.h"

namespace mora::trace {

using LocationId = std::uint32_t;
using RegionId = std::uint32_t;
using CommId = std::uint32_t;
using WindowId = std::uint32_t;
using GroupId = std::uint32_t;
using CallerId = std::uint32_t;
inline constexpr std::uint32_t no_id = 0xFFFFFFFF;  ///< of every kind of id: unknown, or none

enum class LocationKind : std::uint8_t {
  cpu,     ///< a process or thread
  device,  ///< a stream of an accelerator
  metric,  ///< counters only, no regions
};

/// A process or thread of the measured job: one stream of events. Locations are sorted by (rank, thread).
struct Location {
  std::string name;           ///< "rank 3"
  std::uint32_t rank = 0;     ///< rank in MPI_COMM_WORLD
  std::uint32_t thread = 0;   ///< number within the rank; 0 = the thread that called MPI_Init
  std::uint32_t node = 0;     ///< index into Definitions::nodes
  std::uint64_t file_id = 0;  ///< the format's own id (OTF2 LocationRef)
  LocationKind kind = LocationKind::cpu;
};

/// What the analysis needs to know of a region's meaning. From the name for MPI regions.
enum class RegionKind : std::uint8_t {
  user,  ///< anything that is not an MPI (or other measured library's) call
  mpi,   ///< an MPI_* function
};

/// The programming model of a region that is no MPI call, if the format says so; otherwise names decide
/// (analysis/metrics/library_regions.h).
enum class Paradigm : std::uint8_t {
  unknown,
  openmp,
  pthread,
  shmem,
  device,        ///< the library of an accelerator: CUDA, HIP, OpenCL, OpenACC
  without_work,  ///< no call: a state in which the tool that recorded says that a thread does nothing for the program
};

/// What an OpenMP or user region is, if the format says so.
enum class RegionRole : std::uint8_t {
  unknown,
  parallel,
  workshare,  ///< loop, sections, single, master …
  barrier,
  implicit_barrier,
  critical,
  critical_block,
  flush,
  ordered,
  ordered_block,
  task,
  task_create,
  task_wait,
  interval,  ///< a marked part of the program: Mora's macros, Score-P's user regions and phases
};

/// One function at one call site (MPI regions), or one function or code section (user regions).
struct Region {
  std::string name;                  ///< "MPI_Send", "main"
  std::string group;                 ///< "MPI", "USER", a VAMPIR activity; empty = the format has no groups ("All")
  std::string call_site_file;        ///< source file of the call; empty = unknown. User regions: file of definition
  std::uint32_t call_site_line = 0;  ///< 0 = unknown
  std::uint32_t last_line = 0;       ///< of the definition of a user region; 0 = unknown
  RegionKind kind = RegionKind::user;
  Paradigm paradigm = Paradigm::unknown;
  RegionRole role = RegionRole::unknown;
  /// Of an interval: so many processes do the same computation in it; 1 = distributed, no_id = all (a sequential
  /// section).
  std::uint32_t replication = 1;
  mpi::FunctionId function = mpi::FunctionId::none;  ///< for kind mpi (mpi_function.h)
  /// Where the call path is recorded: the function that calls. Then regions are one per function, call site and path.
  CallerId caller = no_id;
};

/// A function of the program on recorded call paths and in samples: one per function and path to it. No event enters or
/// leaves it.
struct Caller {
  CallerId parent = no_id;  ///< the function that called it; smaller than its own id
  RegionId region = no_id;
  std::uint32_t place = no_id;  ///< index in call_places: where the parent calls it; no_id = not told apart by that
};

/// A communicator instance: one object of the run, also if its handle is reused later. Members are *world ranks*, in
/// the order of their ranks in the communicator.
struct Communicator {
  std::string name;
  std::vector<std::uint32_t> members;         ///< local group
  std::vector<std::uint32_t> remote_members;  ///< empty for intra-communicators
  /// An inter-communicator (MPI-3.1, 6.6).
  bool inter() const { return !remote_members.empty(); }
  /// MPI_COMM_SELF: one definition for all processes, each its own only member; `members` is empty.
  bool self = false;
  CommId parent = no_id;  ///< the communicator that it was made from
};

/// A window for one-sided communication; `comm` holds the processes that created it together.
struct Window {
  std::string name;
  CommId comm = no_id;
  /// World rank, and the address of the window's first byte there: of windows that share memory with another one,
  /// where that was recorded; 0 for MPI_Win_create_dynamic, whose offsets are addresses. Ascending by rank.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> bases = {};
};

/// A group of world ranks in group order (post, start, complete, wait).
struct Group {
  std::vector<std::uint32_t> members;
};

/// A machine that ranks run on.
struct Node {
  std::string name;  ///< host name
};

/// A counter that metric events carry.
struct Metric {
  std::string name;            ///< "PAPI_TOT_INS"
  std::string unit;            ///< "#", "s"; empty = unknown
  bool is_difference = false;  ///< a value is what was counted since the one before on its location
  bool is_count = false;       ///< a value is what was counted from some time on; else it may be a level
};

/// Whether what a counter gains between two readings can be divided among call paths. Readers need not say so of
/// PAPI's.
inline bool adds_up(const Metric& metric) {
  return metric.is_count || metric.is_difference || metric.name.starts_with("PAPI_");
}

/// All definitions of a trace.
struct Definitions {
  std::string program;  ///< name of the root of every call tree
  std::vector<Node> nodes;
  std::vector<Location> locations;
  std::vector<Region> regions;
  std::vector<Caller> callers;
  std::vector<SourcePlace> call_places;
  std::vector<Communicator> communicators;
  std::vector<std::pair<CommId, CartesianGrid>> grids;  ///< communicator that has it as its topology
  std::vector<Window> windows;
  std::vector<Group> groups;
  std::vector<Metric> metrics;
  std::vector<std::string> files;       ///< names of io_begin, io_end
  std::vector<CommId> file_comms;       ///< by file: who opened it together; no_id or missing: not known
  std::vector<std::string> user_types;  ///< names of trace- and format-specific event types (EARL)
  std::vector<std::string> strings;     ///< contents of user events
  std::uint32_t world_size = 0;         ///< ranks in MPI_COMM_WORLD; may be more than have a location
  /// Time 0 of the events, in the trace's own clock (ns): ALOG's microseconds, OTF2's ticks since its own epoch.
  Nanoseconds time_origin = 0;

  /// Location of (rank, thread 0); no_id if there is none. O(1).
  LocationId location_of_rank(std::uint32_t rank) const;
  /// The functions that a region was called through, outermost first; empty where that is not recorded.
  std::vector<RegionId> call_path(RegionId region) const;
  /// A caller's functions, outermost first, its own last; empty for no_id. O(depth).
  std::vector<RegionId> functions_to(CallerId caller) const;
  /// The innermost function that both are called through; no_id = none. O(depth).
  CallerId common_caller(CallerId a, CallerId b) const;
  /// Prepares location_of_rank(). Must be called once when `locations` is complete, before other threads read.
  void index_ranks();

 private:
  std::vector<LocationId> rank_to_location_;
};

}  // namespace mora::trace
