#include "trace/links/message_links.h"

#include <algorithm>
#include <string>

namespace mora::trace {

std::uint64_t RequestLife::completed(std::uint64_t request, std::uint64_t fallback) {
  const auto found = open_.find(request);
  if (found == open_.end()) return fallback;
  const std::uint64_t ordinal = found->second;
  open_.erase(found);
  return ordinal;
}

void MessageLinks::add(LocationId location, std::uint32_t rank, std::uint64_t ordinal, const Event& event,
                       std::uint64_t id) {
  switch (event.kind) {
    case EventKind::send:
    case EventKind::send_request:
      channels_[{event.comm, rank, event.peer, event.tag}].sends.push_back(id);
      break;
    case EventKind::receive_request:
      requests_[location].posted(event.request, ordinal);
      break;
    case EventKind::cancelled:
      requests_[location].cancelled(event.request);
      break;
    case EventKind::receive:
      channels_[{event.comm, event.peer, rank, event.tag}].receives.push_back({location, ordinal, id});
      break;
    case EventKind::receive_complete: {
      const std::uint64_t posted = requests_[location].completed(event.request, ordinal);
      channels_[{event.comm, event.peer, rank, event.tag}].receives.push_back({location, posted, id});
      break;
    }
    default:
      break;
  }
}

std::vector<MessageLinks::Pair> MessageLinks::match(DataQuality& quality) {
  std::vector<Pair> pairs;
  for (auto& [channel, halves] : channels_) {
    auto& receives = halves.receives;
    std::stable_sort(receives.begin(), receives.end(), [](const Receive& a, const Receive& b) {
      return std::tie(a.location, a.posted) < std::tie(b.location, b.posted);
    });
    const std::size_t common = std::min(halves.sends.size(), receives.size());
    for (std::size_t k = 0; k < common; ++k) pairs.push_back({halves.sends[k], receives[k].id});
    if (halves.sends.size() > common)
      quality.add("unmatched-send", Severity::warning, "rank " + std::to_string(channel.source),
                  halves.sends.size() - common, "messages were sent but their reception is not in the trace",
                  "was the program stopped early, or not all ranks recorded?");
    if (receives.size() > common)
      quality.add("unmatched-receive", Severity::warning, "rank " + std::to_string(channel.destination),
                  receives.size() - common, "messages were received but their sending is not in the trace",
                  "was recording switched off, or not all ranks recorded?");
  }
  return pairs;
}

}  // namespace mora::trace
