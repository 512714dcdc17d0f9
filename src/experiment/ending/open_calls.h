/// What a process that did not end is waiting for, and what all processes have sent and received until then. Cost: one
/// pass over each journal; memory: a number for each channel, request under way and communicator of a process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "experiment/ending/ending.h"
#include "experiment/ending/windows.h"

namespace mora::experiment {

/// One message that a call waits for: to be sent, or to be received.
struct WantedMessage {
  bool is_send = false;
  std::uint32_t comm = 0;  ///< definition; no_id
  std::int32_t peer = 0;   ///< world rank; -2 any, -1 none
  std::int32_t tag = 0;    ///< -1 any
  unsigned function = 0;   ///< that began it, if another call did
  std::uint64_t site = 0;
};

struct OpenCall {
  bool is_open = false;
  unsigned function = 0;
  std::string words;        ///< "MPI_Recv (main.c:12)"
  std::uint64_t since = 0;  ///< stamp: when it was entered; if none is open, when the last one was left
  std::optional<std::uint64_t>
      polled_since;  ///< stamp of the first of calls that came back without what they asked for
  std::uint32_t comm = archive::no_id;
  bool is_collective = false;
  std::int32_t root = -1;            ///< root or target of a one-sided operation; -1 none
  std::optional<WindowKey> window;   ///< of a one-sided call; comm is then its communicator
  bool is_exclusive = false;         ///< of MPI_Win_lock
  std::vector<std::uint32_t> group;  ///< of MPI_Win_start, world ranks
  std::uint32_t requests = 0;
  bool has_bad_argument = false;  ///< a rank that the communicator does not have, a negative tag
  std::vector<WantedMessage> messages;
};

/// Collective calls on one communicator.
struct Collectives {
  std::uint64_t calls = 0;
  unsigned last_function = 0;
  std::uint64_t last_site = 0;
};

/// What one process did before its end.
struct Traffic {
  using Channel = std::tuple<std::uint32_t, std::int32_t, std::int32_t>;  ///< comm, world rank of the other, tag
  std::map<Channel, std::int64_t> sent, received;
  std::map<std::uint64_t, WantedMessage> pending;    ///< by number of the request
  std::map<std::uint32_t, Collectives> collectives;  ///< by communicator
  WindowTable windows;
  OpenCall open;
};

/// `rank`: world rank of the process.
Traffic traffic_of(const EndedJob& job, std::uint32_t rank);

/// World ranks of a communicator's members; of an inter-communicator both groups.
std::vector<std::uint32_t> members_of(const archive::Definitions& definitions, std::uint32_t comm, std::uint32_t own);

}  // namespace mora::experiment
