/// Layout of the recorded vectors (docs/formats/otf2.md): of alltoallv and alltoallw the bytes sent to each peer, then
/// those received from each; of neighbourhoods the number of destinations with (rank, bytes) each, then the same of the
/// sources.
#include "analysis/core/partners.h"

#include <algorithm>
#include <tuple>

namespace mora::analysis {

namespace {

constexpr std::uint32_t unknown = 0xFFFFFFFF;

}  // namespace

std::optional<std::vector<std::uint32_t>> partners_of(const std::vector<std::uint64_t>& counts,
                                                      trace::Collective operation,
                                                      const trace::Communicator& communicator, std::uint32_t rank) {
  const std::vector<std::uint32_t>& local = communicator.members;
  const std::vector<std::uint32_t>& remote = communicator.remote_members;
  const bool in_local = std::find(local.begin(), local.end(), rank) != local.end();
  // Counts are by rank of the other group, or of the only one.
  const std::size_t peers = remote.empty() || !in_local ? local.size() : remote.size();
  const std::size_t first = remote.empty() || !in_local ? 0 : local.size();
  std::vector<std::uint32_t> partners;
  const auto add = [&](std::uint64_t peer, std::uint64_t bytes) {
    if (bytes == 0 || peer >= peers) return;
    const std::size_t member = first + static_cast<std::size_t>(peer);
    const std::uint32_t partner = member < local.size() ? local[member] : remote[member - local.size()];
    if (partner != rank) partners.push_back(static_cast<std::uint32_t>(member));
  };
  if (operation == trace::Collective::alltoallv || operation == trace::Collective::alltoallw) {
    if (counts.size() != 2 * peers) return std::nullopt;
    for (std::size_t i = 0; i < peers; ++i) add(i, counts[peers + i]);
    return partners;
  }
  if (counts.empty() || counts[0] > counts.size()) return std::nullopt;
  const std::size_t sources = 1 + 2 * static_cast<std::size_t>(counts[0]);
  if (sources >= counts.size() || counts.size() != sources + 1 + 2 * counts[sources]) return std::nullopt;
  for (std::size_t i = sources + 1; i < counts.size(); i += 2) add(counts[i], counts[i + 1]);
  // A neighbour may be there twice.
  std::sort(partners.begin(), partners.end());
  partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
  return partners;
}

std::uint32_t PartnerTable::place_of(const trace::Source& source, cube::LocationId location, std::uint32_t index,
                                     trace::Collective operation, const trace::Communicator& communicator,
                                     std::uint32_t rank) {
  if (index == unknown) return unknown;
  const auto [place, is_new] =
      places_.try_emplace(std::make_tuple(location, index, operation), static_cast<std::uint32_t>(lists_.size()));
  if (!is_new) return place->second;
  auto partners = partners_of(source.vector(location, index), operation, communicator, rank);
  if (partners) {
    lists_.push_back(std::move(*partners));
  } else {
    place->second = unknown;
  }
  return place->second;
}

std::size_t PartnerTable::bytes() const {
  std::size_t sum = sizeof(std::uint32_t);
  for (const auto& list : lists_) sum += (1 + list.size()) * sizeof(std::uint32_t);
  return sum;
}

void PartnerTable::write(BufferWriter& out) const {
  out.put(static_cast<std::uint32_t>(lists_.size()));
  for (const auto& list : lists_) {
    out.put(static_cast<std::uint32_t>(list.size()));
    for (const std::uint32_t member : list) out.put(member);
  }
}

std::vector<std::vector<std::uint32_t>> PartnerTable::read(BufferReader& in) {
  std::vector<std::vector<std::uint32_t>> lists(in.take<std::uint32_t>());
  for (auto& list : lists) {
    list.resize(in.take<std::uint32_t>());
    for (std::uint32_t& member : list) member = in.take<std::uint32_t>();
  }
  return lists;
}

}  // namespace mora::analysis
