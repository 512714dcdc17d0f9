#include "trace/index/items.h"

#include <algorithm>
#include <set>

namespace mora::trace {

std::uint32_t LinkTables::gate(const EpochGate& key) {
  const std::lock_guard lock(mutex_);
  const auto [at, made] = gate_numbers_.try_emplace(key, static_cast<std::uint32_t>(gates.size()));
  if (made) gates.emplace_back().gate = key;
  return at->second;
}

void LinkTables::closes(std::uint32_t gate, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  GateInfo& info = gates[gate];
  for (std::uint64_t n = info.highest + 1; n < number; ++n) info.missing.push_back(n);
  info.highest = std::max(info.highest, number);
}

void LinkTables::tear(const JoinedSequences& joined) {
  std::set<SequenceKey> torn;
  for (const JoinedSequence& s : joined.all()) {
    if (s.is_torn) torn.insert(s.key);
  }
  for (GateInfo& info : gates) {
    const EpochGate& g = info.gate;
    if (g.kind == EpochKind::exposure)
      info.is_torn = torn.contains({SequenceKind::epoch, g.window, g.partner, g.rank, 0, g.stretch});
    if (g.kind == EpochKind::fence)
      info.is_torn = torn.contains({SequenceKind::window, g.window, no_id, no_id, 0, g.stretch});
  }
}

bool LinkTables::GateInfo::closes(std::uint64_t number) const {
  return number <= highest && !std::binary_search(missing.begin(), missing.end(), number);
}

}  // namespace mora::trace
