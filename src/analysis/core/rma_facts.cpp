/// Findings of one (rule, call path, location, window, partner) are added up; the first in time is kept.
#include "analysis/core/rma_facts.h"

#include <algorithm>

namespace mora::analysis {

void RmaFacts::add(const CheckFinding& finding) {
  const Key key{finding.rule,   finding.call.location, finding.call.call_path,
                finding.window, finding.partner_rank,  finding.partner.call_path};
  const auto [place, is_new] = findings_.try_emplace(key, finding);
  if (is_new) return;
  CheckFinding& known = place->second;
  const std::uint64_t instances = known.instances + finding.instances;
  const auto rank = [](const CheckFinding& f) {
    return std::tie(f.call.begin, f.call.end, f.partner.begin, f.partner.end, f.partner.location);
  };
  if (rank(finding) < rank(known)) known = finding;
  known.instances = instances;
}

void RmaFacts::add(const TransferCell& cell) {
  TransferCell& known =
      transfers_
          .try_emplace({cell.origin, cell.target, cell.kind}, TransferCell{cell.origin, cell.target, cell.kind, 0, 0})
          .first->second;
  known.operations += cell.operations;
  known.bytes += cell.bytes;
}

void RmaFacts::pack(BufferWriter& out) const {
  out.put(static_cast<std::uint64_t>(findings_.size()));
  for (const auto& [key, finding] : findings_) out.put(finding);
  out.put(static_cast<std::uint64_t>(transfers_.size()));
  for (const auto& [pair, cell] : transfers_) out.put(cell);
  out.put(static_cast<std::uint64_t>(accesses_.size()));
  for (const MetAccess& access : accesses_) out.put(access);
}

void RmaFacts::unpack(BufferReader& in) {
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) add(in.take<CheckFinding>());
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) add(in.take<TransferCell>());
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) add(in.take<MetAccess>());
}

std::vector<CheckFinding> RmaFacts::findings() const {
  std::vector<CheckFinding> all;
  all.reserve(findings_.size());
  for (const auto& [key, finding] : findings_) all.push_back(finding);
  std::stable_sort(all.begin(), all.end(),
                   [](const CheckFinding& a, const CheckFinding& b) { return a.call.begin < b.call.begin; });
  return all;
}

std::vector<TransferCell> RmaFacts::transfers() const {
  std::vector<TransferCell> all;
  all.reserve(transfers_.size());
  for (const auto& [pair, cell] : transfers_) all.push_back(cell);
  return all;
}

}  // namespace mora::analysis
