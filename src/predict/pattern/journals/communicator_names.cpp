/// The job's communicators: identities are unified by experiment/convert/definitions.h, creations of all ranks are put
/// in one order, and names follow from it (rule `communicator-names`, docs/rules.md). Cost: linear in the creations of
/// all ranks.
#include "predict/pattern/journals/communicator_names.h"

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace mora::predict {
namespace {

constexpr std::uint32_t world = 0, self = 1;

}  // namespace

void JobCommunicators::add(RankPart& part, DataQuality& quality) {
  auto& ids = ids_.emplace_back();
  ids.job = numbering_.add(part.trace.rank, part.definitions, quality);
  ids.places = &places_;
  std::uint64_t outside = 0;
  for (const auto& c : part.definitions.communicators) {
    if (c.kind == MORA_COMM_WORLD) world_ = ids.job.communicator(c.id);
    if (c.kind == MORA_COMM_SELF) self_ = ids.job.communicator(c.id);
    outside += c.kind == MORA_COMM_DYNAMIC ? 1 : 0;
  }
  if (outside != 0)
    quality.add("outside-world", Severity::warning, fmt::format("rank {}", part.trace.rank), outside,
                "communicators with processes outside of MPI_COMM_WORLD (spawned, connected): these processes are not "
                "in the trace",
                "");
  ranks_.push_back(part.trace.rank);
  creations_.push_back(std::exchange(part.creations, {}));
  part.definitions = {};
}

void JobCommunicators::finish(Definitions& definitions) {
  mora::archive::Definitions job;
  numbering_.finish(job);
  // MPI_COMM_WORLD and MPI_COMM_SELF come first, also if a damaged journal says otherwise.
  auto& out = definitions.communicators;
  out.resize(2);
  out[world].name = "MPI_COMM_WORLD";
  out[world].members.resize(world_size_);
  std::iota(out[world].members.begin(), out[world].members.end(), 0U);
  out[self].name = "MPI_COMM_SELF";
  places_.assign(job.communicators.size(), no_id);
  if (world_ < places_.size()) places_[world_] = world;
  if (self_ < places_.size()) places_[self_] = self;
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
  name(out);
  for (const auto& w : job.windows)
    definitions.windows.push_back({w.communicator < places_.size() ? places_[w.communicator] : no_id,
                                   w.name.empty() ? fmt::format("window_{}", definitions.windows.size()) : w.name});
}

void JobCommunicators::name(std::vector<Communicator>& communicators) const {
  using Event = std::tuple<bool, std::uint32_t, std::uint32_t>;  // (parent, ordinal), or the communicator itself
  std::map<Event, std::uint32_t> events;
  std::map<std::uint32_t, std::int32_t> siblings;  // so many of an event so far, without colours
  for (std::size_t i = 0; i < creations_.size(); ++i) {
    for (const auto& creation : creations_[i]) {
      const auto made = creation.made == no_id ? no_id : ids_[i].communicator(creation.made);
      const auto parent = ids_[i].communicator(creation.parent);
      if (creation.made != no_id && made == no_id) continue;  // counted by the numbering
      const Event key = creation.collective ? Event{true, parent, creation.ordinal} : Event{false, made, 0};
      const auto event = events.try_emplace(key, static_cast<std::uint32_t>(events.size())).first->second;
      if (made == no_id) continue;
      auto& communicator = communicators[made];
      if (communicator.event == no_id) {
        communicator.event = event;
        communicator.made_by = creation.made_by;
        communicator.color = creation.colored ? creation.color : siblings[event]++;
        communicator.name = fmt::format("mini_comm_{}_{}", event, communicator.color);
      }
      if (creation.colored && !communicator.members.empty() && communicator.members.front() == ranks_[i])
        communicator.key = creation.key;
    }
  }
}

}  // namespace mora::predict
