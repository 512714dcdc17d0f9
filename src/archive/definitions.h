/// What an archive written by Mora defines. Ids are indices into the vectors below; the writer turns them into OTF2
/// references (docs/formats/otf2.md, "Definitions"). Plain data, filled by the converter of journals (src/experiment/)
/// and by exports (src/export/otf2/).
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers/cartesian_grid.h"
#include "base/text/source_place.h"
#include "base/time.h"
#include "mpi/function.h"

namespace mora::archive {

inline constexpr std::uint32_t no_id = 0xFFFFFFFF;  ///< unknown, or none

/// Name of the property of calling contexts that are the only path of their region.
inline constexpr const char* call_path_property = "mora:call_path";

/// A pair of clocks compared: `offset_ns` is to be added to the location's stamps near `time`.
struct ClockOffset {
  std::uint64_t time = 0;  ///< the location's own stamp
  std::int64_t offset_ns = 0;
  double deviation_ns = 0;
};

/// One process of the job = one location group; index = rank in MPI_COMM_WORLD.
struct Process {
  std::uint32_t node = 0;  ///< index into Definitions::nodes
  std::vector<ClockOffset> clock_offsets;
  bool has_main_thread = true;  ///< a location with the rank as number; false: `locations` has it
};

enum class LocationKind : std::uint8_t { thread, device, metric };

/// A location that is defined after all processes, with number and name of its own.
struct Location {
  std::uint64_t number = 0;
  std::string name;
  LocationKind kind = LocationKind::thread;
  std::uint32_t process = 0;
};

/// What a region stands for.
enum class RegionKind : std::uint8_t {
  call,  ///< an MPI function at one call site
  mark,  ///< a part of the program that it marked
  user,  ///< any other part of the program
  team   ///< one that whole teams of threads leave together
};

/// The programming model of a user region; without_work: a state of a thread in which it does nothing for the program.
enum class Model : std::uint8_t { program, openmp, pthread, shmem, device, without_work };

struct Region {
  std::string function;    ///< "MPI_Send"; the name of what is no call
  std::string file;        ///< source file of the call or mark; empty = unknown
  std::uint32_t line = 0;  ///< 0 = unknown
  std::string symbol;      ///< "step(int) + 0x3a" or "module+0x12ab" where file and line are unknown; may be empty
  RegionKind kind = RegionKind::call;
  Model model = Model::program;
  OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN;  ///< user: of a construct of `model`, if that is known
  std::uint32_t replication = 1;                    ///< mark: so many processes do the same in it; no_id = all
  mpi::FunctionId id = mpi::FunctionId::none;       ///< call: the function; none = that of the name
  std::uint32_t caller = no_id;                     ///< call: index of a caller; no_id = its call path is not known
  std::uint32_t last_line = 0;                      ///< user: of the definition; 0 = unknown
};

/// A function on call paths and in samples.
struct Caller {
  std::uint32_t parent = no_id;  ///< index of an earlier one
  std::uint32_t region = 0;
  std::uint32_t place = no_id;  ///< index in call_places: where the parent calls it; no_id = not told apart by that
};

/// Regions that another tool puts together.
struct RegionGroup {
  std::string name;
  std::vector<std::uint64_t> regions;
};

/// A communicator instance.
struct Communicator {
  std::string name;
  std::uint32_t group = no_id;         ///< local group; no_id = the process itself (MPI_COMM_SELF)
  std::uint32_t remote_group = no_id;  ///< inter-communicators only
  std::uint32_t parent = no_id;        ///< index of a communicator
};

/// A window for one-sided communication.
struct Window {
  std::string name;
  std::uint32_t communicator = no_id;
  /// World rank, and the address of its memory: where it shares memory with another window (dynamic windows: 0).
  std::vector<std::pair<std::uint32_t, std::uint64_t>> bases = {};
  bool shows_transfers = false;  ///< as messages on a communicator of its own (Definitions::transfers_on)
};

/// A file as the processes of a communicator opened it.
struct File {
  std::string name;
  std::uint32_t communicator = no_id;
};

/// Numbers that were sampled or counted, one class of one member each, but for those that are read together.
struct Metric {
  std::string name, unit;
  bool is_difference = false;  ///< a value is what was counted since the one before
  bool is_count = false;       ///< a value is what was counted from some time on
};

/// All definitions of an archive. Stamps are ns of the recorder's clock.
struct Definitions {
  std::uint64_t first_stamp = 0;  ///< smallest stamp of the archive, ns
  std::uint64_t last_stamp = 0;
  std::uint64_t realtime_ns = 0;  ///< CLOCK_REALTIME at first_stamp
  std::vector<std::string> nodes;
  std::vector<Process> processes;
  std::vector<Region> regions;
  std::vector<Caller> callers;
  std::vector<SourcePlace> call_places;
  std::vector<std::vector<std::uint32_t>> groups;  ///< world ranks in rank order
  std::vector<Communicator> communicators;
  std::vector<std::pair<std::uint32_t, CartesianGrid>> grids;  ///< communicator that has it
  std::vector<Window> windows;
  std::vector<File> files;
  bool is_mpi_io = true;  ///< the files were opened by MPI; else by POSIX calls

  // Only exports have these.
  std::vector<std::string> strings;  ///< values of user events: LocationWriter::user_value()
  std::vector<Location> locations;   ///< besides main threads
  std::vector<RegionGroup> region_groups;
  std::vector<Metric> metrics;
  /// Sizes of classes of metrics that are whole numbers and read together (LocationWriter::reading()); none: each
  /// metric is a class of its own.
  std::vector<std::uint32_t> metrics_read_together;
  std::vector<std::string> user_types;  ///< of user events
  bool has_transfer_roles = false;      ///< attribute_transfer is defined
  std::uint32_t world_group = no_id;    ///< group of the communicator world_instead(); no_id: there is none

  /// The communicator of transfers that are shown as messages on a window.
  static std::uint32_t transfers_on(std::size_t communicators, std::uint32_t window) {
    return static_cast<std::uint32_t>(communicators) + window;
  }
  /// The communicator of messages that have none.
  static std::uint32_t world_instead(std::size_t communicators, std::size_t windows) {
    return static_cast<std::uint32_t>(communicators + windows);
  }
};

}  // namespace mora::archive
