#include "predict/pattern/communicator_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace mora::predict {
namespace {

constexpr std::uint32_t world = 0, self = 1;

bool has_outsiders(const RankPart& part) {
  return std::any_of(part.definitions.communicators.begin(), part.definitions.communicators.end(),
                     [](const auto& c) { return c.kind == MORA_COMM_DYNAMIC; });
}

}  // namespace

JobCommunicators::JobCommunicators(const std::vector<RankPart>& parts, Definitions& definitions, DataQuality& quality) {
  experiment::GlobalDefinitions numbering(definitions.world_size);
  ids_.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ids_[i].job = numbering.add(parts[i].trace.rank, parts[i].definitions, quality);
    ids_[i].places = &places_;
    if (has_outsiders(parts[i]))
      quality.add("outside-world", Severity::warning, fmt::format("rank {}", parts[i].trace.rank), 1,
                  "communicators with processes outside of MPI_COMM_WORLD (spawned, connected): these processes are not in the trace", "");
  }
  archive::Definitions job;
  numbering.finish(job);

  // MPI_COMM_WORLD and MPI_COMM_SELF come first, whatever a damaged journal says.
  places_.assign(job.communicators.size(), no_id);
  auto& out = definitions.communicators;
  out.resize(2);
  out[world].name = "MPI_COMM_WORLD";
  out[world].members.resize(definitions.world_size);
  std::iota(out[world].members.begin(), out[world].members.end(), 0U);
  out[self].name = "MPI_COMM_SELF";
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const auto& c : parts[p].definitions.communicators) {
      const auto id = ids_[p].job.communicator(c.id);
      if (id >= places_.size()) continue;
      if (c.kind == MORA_COMM_WORLD) places_[id] = world;
      if (c.kind == MORA_COMM_SELF) places_[id] = self;
    }
  std::vector<std::uint32_t> parents{no_id, no_id};
  for (std::size_t i = 0; i < job.communicators.size(); ++i) {
    if (places_[i] != no_id) continue;
    const auto& c = job.communicators[i];
    places_[i] = static_cast<std::uint32_t>(out.size());
    auto& made = out.emplace_back();
    if (c.group < job.groups.size()) made.members = job.groups[c.group];
    if (c.remote_group < job.groups.size()) made.remote = job.groups[c.remote_group];
    parents.push_back(c.parent);
  }
  for (std::size_t i = 2; i < out.size(); ++i)
    if (parents[i] < places_.size()) out[i].parent = places_[parents[i]];
  name(parts, definitions);
  for (const auto& w : job.windows)
    definitions.windows.push_back({w.communicator < places_.size() ? places_[w.communicator] : no_id,
                                   w.name.empty() ? fmt::format("window_{}", definitions.windows.size()) : w.name});
}

void JobCommunicators::name(const std::vector<RankPart>& parts, Definitions& definitions) const {
  using Event = std::tuple<bool, std::uint32_t, std::uint32_t>;  // (parent, ordinal), or the communicator itself
  std::map<Event, std::uint32_t> events;
  std::map<std::uint32_t, std::int32_t> siblings;  // so many of an event so far, without colours
  auto& out = definitions.communicators;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const auto& creation : parts[i].creations) {
      const auto made = creation.made == no_id ? no_id : ids_[i].communicator(creation.made);
      const auto parent = ids_[i].communicator(creation.parent);
      if (creation.made != no_id && made == no_id) continue;  // counted by the numbering
      const Event key = creation.collective ? Event{true, parent, creation.ordinal} : Event{false, made, 0};
      const auto event = events.try_emplace(key, static_cast<std::uint32_t>(events.size())).first->second;
      if (made == no_id) continue;
      auto& communicator = out[made];
      if (communicator.event == no_id) {
        communicator.event = event;
        communicator.made_by = creation.made_by;
        communicator.color = creation.colored ? creation.color : siblings[event]++;
        communicator.name = fmt::format("mini_comm_{}_{}", event, communicator.color);
      }
      if (creation.colored && !communicator.members.empty() && communicator.members.front() == parts[i].trace.rank)
        communicator.key = creation.key;
    }
  }
}

}  // namespace mora::predict
