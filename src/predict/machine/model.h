/// A machine model: the time of a message, by its size and by how far its ends are apart, read from a file
/// (docs/formats/machine.md). Which models there are: message_model.h. Pure functions, safe from any thread.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "predict/machine/message_model.h"
#include "predict/machine/topology.h"
#include "replay/actions/window_call.h"

namespace mora::predict {

/// How far two ranks are apart, nearest first.
enum class Locality : std::uint8_t { same_core, same_package, same_node, other_node };
constexpr std::size_t locality_count = 4;
std::string_view name_of(Locality locality);  ///< its key in the file: "same_node"

/// What messages share: R_N of max-rate as time per byte (Gropp 2016; replay/costs/shared_transfers.h). 0:
/// as much as they want.
struct SharedCosts {
  double connection_ns_per_byte = 0;  ///< of messages to other nodes, and again of those from other nodes
  double memory_ns_per_byte = 0;      ///< of messages within the node
  double link_ns_per_byte = 0;        ///< of each link of the topology, of messages whose route it is on
  bool any() const { return connection_ns_per_byte > 0 || memory_ns_per_byte > 0 || link_ns_per_byte > 0; }
};

/// What one-sided calls cost between ranks of a class, by call; nullptr: as messages.
using WindowModels = std::array<std::shared_ptr<const MessageModel>, replay::window_call_count>;

struct MachineModel {
  std::string name;
  std::string mpi;  ///< "Open MPI …": whose collective algorithms it has; empty: not said
  std::array<std::shared_ptr<const MessageModel>, locality_count> classes;  ///< nullptr: the file does not say
  std::array<WindowModels, locality_count> windows;                         ///< of the same classes
  std::shared_ptr<const Topology> topology;  ///< nullptr: all nodes are equally far apart
  double hop_latency_ns = 0;                 ///< of each link beyond the fewest between two nodes
  SharedCosts shared;

  /// Of a class that the file has not the next farther one on the same node, else the next nearer one there. nullptr:
  /// there is none; never another node's for ranks of one node, or the other way round.
  const MessageModel* find(Locality locality) const;
  /// The class that find() takes; nothing: there is none.
  std::optional<std::size_t> index_of(Locality locality) const;
};

/// `name` is for messages. Errors (unreadable): not JSON, a key that is missing or unknown, ranges out of order, a cost
/// that is negative.
Result<MachineModel> parse_machine_model(std::string_view text, const std::string& name);

/// `messages` messages of together `bytes` to a locality that find() knows, one after the other, both ends' processors
/// included; their mean size decides the range. 0 for no message. Rounded to the nearest nanosecond; at most INT64_MAX
/// / 4.
Nanoseconds messages_time(const MachineModel& model, Locality locality, std::uint64_t messages, std::uint64_t bytes);

}  // namespace mora::predict
