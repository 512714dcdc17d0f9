/// Calls as text for messages: operation, data, peer, tag, communicator.
#include <fmt/format.h>

#include "predict/pattern/check/parts.h"

namespace mora::predict {
namespace {

std::string payload_text(const Payload& payload, const Definitions& definitions) {
  if (payload.count < 0) return {};
  if (payload.type >= definitions.datatypes.size()) return fmt::format(" {} elements", payload.count);
  const auto& type = definitions.datatypes[payload.type];
  return fmt::format(" {} x {}", payload.count, type.name.empty() ? fmt::format("{} bytes", type.size) : type.name);
}

std::string peer_text(std::int32_t peer) {
  switch (peer) {
    case peer_none:
      return "MPI_PROC_NULL";
    case peer_any:
      return "MPI_ANY_SOURCE";
    case root_here:
      return "MPI_ROOT";
    default:
      return fmt::format("{}", peer);
  }
}

std::string tag_text(std::int32_t tag) { return tag == tag_any ? "" : fmt::format(", tag {}", tag); }

std::string from_text(std::int32_t peer, std::int32_t tag, const Call& call) {
  return fmt::format(" from {}{}{}{}", peer_text(peer), call.posted_any_source && peer >= 0 ? " (any source)" : "",
                     tag_text(tag), call.posted_any_tag && tag >= 0 ? " (any tag)" : "");
}

std::string completions_text(const Call& call, const RankTrace& rank) {
  if (call.completions >= rank.completions.size()) return {};
  const auto& list = rank.completions[call.completions];
  return fmt::format(" ({} completed)", list.size());
}

}  // namespace

std::string describe(const Call& call, const PatternTrace& trace, const RankTrace& rank) {
  const auto& d = trace.definitions;
  const auto& what = info(call.operation);
  std::string text(what.mpi_name);
  bool on_communicator = call.communicator != no_id;
  switch (what.kind) {
    case OperationClass::send:
      text += payload_text(call.sent, d) + fmt::format(" to {}{}", peer_text(call.peer), tag_text(call.tag));
      break;
    case OperationClass::receive:
      text += payload_text(call.received, d) + from_text(call.peer, call.tag, call);
      break;
    case OperationClass::sendrecv:
      text += payload_text(call.sent, d) + fmt::format(" to {}{},", peer_text(call.peer), tag_text(call.tag)) +
              payload_text(call.received, d) + from_text(call.peer2, call.tag2, call);
      break;
    case OperationClass::rooted:
      text += payload_text(call.sent.count >= 0 ? call.sent : call.received, d) +
              fmt::format(", root {}", peer_text(call.peer));
      break;
    case OperationClass::rootless:
    case OperationClass::neighborhood:
      text += payload_text(call.sent.count >= 0 ? call.sent : call.received, d);
      break;
    case OperationClass::one_sided:
      text += payload_text(call.sent.count >= 0 ? call.sent : call.received, d) +
              fmt::format(" at {}", peer_text(call.peer));
      break;
    case OperationClass::communicator:
      if (call.operation != Operation::comm_free && call.argument != no_id)
        text += fmt::format(" making {}", communicator_name(trace, call.argument));
      break;
    case OperationClass::file:
      text += payload_text(call.sent.count >= 0 ? call.sent : call.received, d);
      break;
    case OperationClass::phase:
      text += call.argument < d.phases.size() ? " " + d.phases[call.argument] : fmt::format(" {}", call.argument);
      on_communicator = false;
      break;
    case OperationClass::window:
      if (call.peer >= 0) text += fmt::format(" at {}", call.peer);
      break;
    case OperationClass::local:
      text += payload_text(call.sent, d) + payload_text(call.received, d);
      if (call.peer != peer_none) text += fmt::format(", peer {}{}", peer_text(call.peer), tag_text(call.tag));
      text += completions_text(call, rank);
      break;
  }
  if (call.in_place) text += ", in place";
  if (on_communicator) text += ", on " + communicator_name(trace, call.communicator);
  return text;
}

}  // namespace mora::predict
