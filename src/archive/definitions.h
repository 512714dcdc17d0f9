/// What an archive written by Mora defines. Ids are indices into the vectors below; the writer turns them into OTF2
/// references (docs/formats/otf2.md, "Definitions"). Plain data, filled by the converter (src/experiment/).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace mora::archive {

inline constexpr std::uint32_t no_id = 0xFFFFFFFF;  ///< unknown, or none

/// A pair of clocks compared: `offset_ns` is to be added to the location's stamps near `time`.
struct ClockOffset {
  std::uint64_t time = 0;  ///< the location's own stamp
  std::int64_t offset_ns = 0;
  double deviation_ns = 0;
};

/// One process of the job = one location group with one location; index = rank in MPI_COMM_WORLD.
struct Process {
  std::uint32_t node = 0;  ///< index into Definitions::nodes
  std::vector<ClockOffset> clock_offsets;
};

/// One MPI function at one call site, or a part of the program that it marked.
struct Region {
  std::string function;           ///< "MPI_Send"; the name of what is marked
  std::string file;               ///< source file of the call or mark; empty = unknown
  std::uint32_t line = 0;         ///< 0 = unknown
  std::string module_offset;      ///< "module+0x12ab" where file and line are unknown; may be empty
  bool marked = false;            ///< no call, a mark
  std::uint32_t replication = 1;  ///< marked: so many processes do the same in it; no_id = all
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
};

/// A file as the processes of a communicator opened it.
struct File {
  std::string name;
  std::uint32_t communicator = no_id;
};

/// All definitions of an archive. Stamps are ns of the recorder's clock.
struct Definitions {
  std::uint64_t first_stamp = 0;  ///< smallest stamp of the archive, ns
  std::uint64_t last_stamp = 0;
  std::uint64_t realtime_ns = 0;  ///< CLOCK_REALTIME at first_stamp
  std::vector<std::string> nodes;
  std::vector<Process> processes;
  std::vector<Region> regions;
  std::vector<std::vector<std::uint32_t>> groups;  ///< world ranks in rank order
  std::vector<Communicator> communicators;
  std::vector<Window> windows;
  std::vector<File> files;
};

}  // namespace mora::archive
