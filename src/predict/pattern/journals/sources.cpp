#include "predict/pattern/journals/sources.h"

namespace mora::predict {

using journal::pair_high;
using journal::pair_low;

bool is_wildcard(std::uint64_t peer_tag) {
  return pair_low(peer_tag) == MORA_PEER_ANY || (pair_high(peer_tag) == MORA_TAG_ANY && pair_low(peer_tag) >= 0);
}

void WildcardSources::post(std::uint64_t request, std::uint64_t peer_tag) {
  if (is_wildcard(peer_tag)) open_.insert(request);
}

void WildcardSources::read(const journal::Record& r) {
  const auto& p = r.payload;
  switch (r.shape) {
    case MORA_SHAPE_IRECV:
      post(p[2], p[0]);
      break;
    case MORA_SHAPE_START:
      for (std::size_t i = 0; i + 4 <= p.size(); i += 4)
        if (pair_high(p[i + 3]) == MORA_COMPLETED_RECV) post(p[i], p[i + 1]);
      break;
    case MORA_SHAPE_COMPLETE:
      for (std::size_t i = 0; i + 4 <= p.size(); i += 4) {
        if (open_.erase(p[i]) == 0) continue;
        if (pair_high(p[i + 3]) == MORA_COMPLETED_RECV)
          known_[p[i]] = {pair_low(p[i + 1]), pair_high(p[i + 1]), false};
        else
          known_[p[i]] = {.cancelled = pair_high(p[i + 3]) == MORA_CANCELLED};
      }
      break;
    default:
      break;
  }
}

WildcardSources::Source WildcardSources::find(std::uint64_t request) {
  journal::Record record;
  for (;;) {
    if (const auto at = known_.find(request); at != known_.end()) {
      const auto source = at->second;
      known_.erase(at);
      return source;
    }
    if (!ahead_.next(record)) return {};
    read(record);
  }
}

}  // namespace mora::predict
