/// Unifies communicators, windows and groups of all processes (definitions.h): maps from identity to number, filled
/// rank by rank.
#include "experiment/convert/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "mpi/function.h"

namespace mora::experiment {
namespace {

using journal::pair_high;
using journal::pair_low;

std::vector<std::int32_t> ranks_of(std::span<const std::uint64_t> words, std::size_t first, std::size_t count) {
  std::vector<std::int32_t> ranks;
  ranks.reserve(count);
  for (std::size_t i = first; i < first + count; ++i)
    ranks.push_back(i % 2 == 0 ? pair_low(words[i / 2]) : pair_high(words[i / 2]));
  return ranks;
}

std::uint64_t saturated_end(std::uint64_t base, std::uint64_t bytes) {
  return bytes > UINT64_MAX - base ? UINT64_MAX : base + bytes;
}

}  // namespace

bool LocalDefinitions::take(const journal::Record& r) {
  const auto& p = r.payload;
  switch (r.shape) {
    case MORA_SHAPE_DEFINE_COMM: {
      const auto n_local = static_cast<std::uint32_t>(pair_high(p[1]));
      const auto n_remote = static_cast<std::uint32_t>(pair_low(p[2]));
      communicators.push_back({r.object, static_cast<std::uint32_t>(pair_low(p[0])),
                               static_cast<std::uint32_t>(pair_high(p[0])), static_cast<std::uint32_t>(pair_low(p[1])),
                               static_cast<std::uint32_t>(pair_high(p[2])), ranks_of(p.subspan(3), 0, n_local),
                               ranks_of(p.subspan(3), n_local, n_remote)});
      return true;
    }
    case MORA_SHAPE_DEFINE_GRID: {
      Grid grid{r.object, {}, {}};
      for (std::size_t d = 0; d < p[0]; ++d) {
        grid.dimensions.push_back(
            {"", static_cast<std::uint32_t>(pair_low(p[1 + 2 * d])), pair_high(p[1 + 2 * d]) != 0});
        grid.coordinates.push_back(static_cast<std::uint32_t>(pair_low(p[2 + 2 * d])));
      }
      grids.push_back(std::move(grid));
      return true;
    }
    case MORA_SHAPE_DEFINE_GROUP:
      groups.push_back({r.object, ranks_of(p.subspan(1), 0, static_cast<std::uint32_t>(pair_low(p[0])))});
      return true;
    case MORA_SHAPE_DEFINE_WIN:
      add_window(r);
      return true;
    case MORA_SHAPE_DEFINE_FILE:
      files.push_back({r.object, static_cast<std::uint32_t>(pair_low(p[0])), ""});
      return true;
    case MORA_SHAPE_NAME: {
      const auto* text = reinterpret_cast<const char*>(p.data() + 1);
      const auto length = static_cast<std::uint32_t>(pair_high(p[0]));
      std::string name(text, strnlen(text, length));
      if (pair_low(p[0]) != 2)
        names.push_back({pair_low(p[0]) == 1, r.object, std::move(name)});
      else if (!files.empty() && files.back().id == r.object)
        files.back().name = std::move(name);
      return true;
    }
    case MORA_SHAPE_CORE:
      has_core_readings = true;
      return true;
    case MORA_SHAPE_DEFINE_COUNTER:
      counters.insert(counter_definition(r));
      return true;
    case MORA_SHAPE_FREE_COMM:
      return true;
    default:
      return false;
  }
}

std::int32_t LocalDefinitions::world(std::uint32_t communicator, std::int32_t rank, std::int32_t self) const {
  const auto it = std::find_if(communicators.begin(), communicators.end(),
                               [&](const Communicator& c) { return c.id == communicator; });
  if (it == communicators.end() || rank < 0) return -1;
  if (it->kind == MORA_COMM_SELF) return self;
  const auto& members = it->remote.empty() ? it->local : it->remote;
  return static_cast<std::size_t>(rank) < members.size() ? members[static_cast<std::size_t>(rank)] : -1;
}

void LocalDefinitions::take_call(const journal::Record& r) {
  const auto& p = r.payload;
  switch (r.shape) {
    case MORA_SHAPE_WIN_COLLECTIVE:
      if (mpi::function(r.function).call == mpi::CallClass::window_free && (r.flags & MORA_FLAG_FAILED) == 0)
        std::erase_if(alive_, [&](std::size_t w) { return windows[w].id == r.object; });
      break;
    case MORA_SHAPE_SHMEM_TRANSFER:
    case MORA_SHAPE_SHMEM_LOCK:
      has_shmem = true;
      break;
    case MORA_SHAPE_SHMEM_COLLECTIVE:
      sets.insert({pair_low(p[0]), pair_high(p[0]), pair_low(p[1])});
      if (p[3] == MORA_BYTES_UNKNOWN)
        collects[{pair_low(p[0]), pair_high(p[0]), pair_low(p[1])}].push_back({r.begin, p[2]});
      break;
    default:
      break;
  }
}

std::vector<std::int32_t> ActiveSet::members() const {
  std::vector<std::int32_t> all;
  if (start < 0 || log_stride < 0 || log_stride > 30) return all;
  for (std::int64_t i = 0; i < size && start + (i << log_stride) <= INT32_MAX; ++i)
    all.push_back(static_cast<std::int32_t>(start + (i << log_stride)));
  return all;
}

std::uint64_t IdMap::received(const ActiveSet& set, std::uint64_t begin) const {
  const auto calls = collected.find(set);
  if (calls == collected.end()) return 0;
  const auto call = std::lower_bound(calls->second.begin(), calls->second.end(), begin,
                                     [](const CollectCall& c, std::uint64_t b) { return c.begin < b; });
  return call == calls->second.end() || call->begin != begin ? 0 : call->bytes;
}

std::uint64_t find_collected(const std::vector<const LocalDefinitions*>& local, const std::vector<IdMap*>& ids) {
  const auto calls_of = [&](std::int32_t rank, const ActiveSet& set) -> const std::vector<CollectCall>* {
    if (static_cast<std::size_t>(rank) >= local.size() || local[static_cast<std::size_t>(rank)] == nullptr)
      return nullptr;
    const auto& collects = local[static_cast<std::size_t>(rank)]->collects;
    const auto found = collects.find(set);
    return found == collects.end() ? nullptr : &found->second;
  };
  std::map<ActiveSet, std::vector<std::uint64_t>> given;  // by all, of each call that all have made
  std::uint64_t unknown = 0;
  for (std::size_t rank = 0; rank < local.size(); ++rank) {
    if (local[rank] == nullptr) continue;
    for (const auto& [set, calls] : local[rank]->collects) {
      const auto [of_all, is_new] = given.try_emplace(set);
      if (is_new) {
        const auto members = set.members();
        std::size_t known = members.empty() ? 0 : calls.size();
        for (const auto member : members) {
          const auto* others = calls_of(member, set);
          known = std::min(known, others == nullptr ? 0 : others->size());
        }
        of_all->second.assign(known, 0);
        for (const auto member : members) {
          const auto* others = known == 0 ? nullptr : calls_of(member, set);
          for (std::size_t k = 0; k < known; ++k)
            of_all->second[k] += (*others)[k].bytes / static_cast<std::uint64_t>(set.size);
        }
      }
      auto& received = ids[rank]->collected[set];
      // A process that is no member of the set that it names has other calls than these.
      const std::size_t known = std::min(calls.size(), of_all->second.size());
      for (std::size_t k = 0; k < known; ++k) received.push_back({calls[k].begin, of_all->second[k]});
      std::sort(received.begin(), received.end(),
                [](const CollectCall& a, const CollectCall& b) { return a.begin < b.begin; });
      unknown += calls.size() - known;
    }
  }
  return unknown;
}

/// Windows that are open at the same time may lie over one memory: of those the addresses matter.
void LocalDefinitions::add_window(const journal::Record& r) {
  const auto& p = r.payload;
  Window window{.id = r.object,
                .communicator = static_cast<std::uint32_t>(pair_low(p[0])),
                .ordinal = static_cast<std::uint32_t>(pair_high(p[0])),
                .function = static_cast<std::uint32_t>(p[1]),
                .unit = p[2],
                .base = p.size() > 4 ? p[3] : 0,
                .end = p.size() > 4 ? saturated_end(p[3], p[4]) : 0,
                .shares_memory = false};
  for (const std::size_t other : alive_) {
    Window& w = windows[other];
    if (std::max(w.base, window.base) < std::min(w.end, window.end)) w.shares_memory = window.shares_memory = true;
  }
  alive_.push_back(windows.size());
  windows.push_back(window);
}

std::uint32_t GlobalDefinitions::intern_group(const std::vector<std::int32_t>& members) {
  const auto [it, inserted] = group_ids_.try_emplace(members, static_cast<std::uint32_t>(groups_.size()));
  if (inserted) {
    auto& out = groups_.emplace_back();
    for (const auto rank : members)
      if (rank >= 0 && static_cast<std::uint32_t>(rank) < world_size_) out.push_back(static_cast<std::uint32_t>(rank));
  }
  return it->second;
}

std::uint32_t GlobalDefinitions::window_of(const ActiveSet& set) {
  const auto [it, inserted] = set_ids_.try_emplace(set, static_cast<std::uint32_t>(windows_.size()));
  if (!inserted) return it->second;
  const auto group = intern_group(set.members());
  const auto world = communicator_ids_.find({MORA_COMM_WORLD});
  std::uint32_t communicator = world == communicator_ids_.end() ? archive::no_id : world->second;
  if (communicator == archive::no_id || communicators_[communicator].group != group) {
    const auto parent = communicator;
    communicator = static_cast<std::uint32_t>(communicators_.size());
    communicators_.push_back(
        {fmt::format("PEs {} + {} i, i < {}", set.start, std::int64_t{1} << set.log_stride, set.size), group,
         archive::no_id, parent});
  }
  windows_.push_back({fmt::format("OpenSHMEM {}", communicators_[communicator].name), communicator});
  return it->second;
}

IdMap GlobalDefinitions::add(std::uint32_t rank, const LocalDefinitions& local, DataQuality& quality) {
  IdMap map;
  const auto where = fmt::format("rank {}", rank);
  std::map<std::vector<std::uint32_t>, std::uint32_t> equals;  // how many of one identity this process has seen
  for (const auto& c : local.communicators) {
    archive::Communicator definition;
    if (c.kind == MORA_COMM_SELF) {
      // One definition for all processes: its group is "the process itself".
      const auto [it, inserted] =
          communicator_ids_.try_emplace({MORA_COMM_SELF}, static_cast<std::uint32_t>(communicators_.size()));
      if (inserted) communicators_.push_back({"MPI_COMM_SELF", archive::no_id, archive::no_id, archive::no_id});
      map.communicators[c.id] = it->second;
      continue;
    }
    definition.group = intern_group(c.local);
    if (!c.remote.empty()) definition.remote_group = intern_group(c.remote);
    const auto parent = map.communicator(c.parent);
    definition.parent = parent;
    if (c.kind == MORA_COMM_INTER && parent == archive::no_id) {  // OTF2 wants one that holds both groups
      const auto world = communicator_ids_.find({MORA_COMM_WORLD});
      if (world != communicator_ids_.end()) definition.parent = world->second;
    }
    std::vector<std::uint32_t> identity{c.kind};
    if (c.kind == MORA_COMM_COLLECTIVE || c.kind == MORA_COMM_DYNAMIC) {
      if (parent == archive::no_id)
        quality.add("unknown-parent-communicator", Severity::warning, where, 1,
                    "communicators were made from one whose creation was not recorded",
                    "keep recording on from MPI_Init on");
      identity.insert(identity.end(), {parent, c.ordinal, definition.group, definition.remote_group});
    } else if (c.kind == MORA_COMM_INTER || c.kind == MORA_COMM_GROUP || c.kind == MORA_COMM_UNSEEN) {
      // Both sides of an inter-communicator name their own group first.
      identity.insert(identity.end(), {std::min(definition.group, definition.remote_group),
                                       std::max(definition.group, definition.remote_group), c.key});
      if (c.kind == MORA_COMM_GROUP) identity.push_back(parent);
      identity.push_back(equals[identity]++);
    }
    const auto [it, inserted] =
        communicator_ids_.try_emplace(identity, static_cast<std::uint32_t>(communicators_.size()));
    if (inserted) {
      if (c.kind == MORA_COMM_WORLD) definition.name = "MPI_COMM_WORLD";
      if (definition.remote_group != archive::no_id && definition.group > definition.remote_group)
        std::swap(definition.group, definition.remote_group);
      communicators_.push_back(definition);
    }
    map.communicators[c.id] = it->second;
  }
  for (const auto& g : local.grids) {
    const auto communicator = map.communicator(g.communicator);
    if (communicator == archive::no_id) continue;
    CartesianGrid& grid = grids_[communicator];
    if (grid.dimensions.empty()) grid.dimensions = g.dimensions;
    grid.place(rank, g.coordinates);
  }
  for (const auto& g : local.groups) map.groups[g.id] = intern_group(g.members);
  for (const auto& w : local.windows) {
    const auto communicator = map.communicator(w.communicator);
    if (communicator == archive::no_id) {
      quality.add("unknown-window", Severity::loss, where, 1, "windows on a communicator that was not recorded",
                  "this is a defect of Mora: please report it, with the program");
      continue;
    }
    const auto [it, inserted] =
        window_ids_.try_emplace({communicator, w.ordinal}, static_cast<std::uint32_t>(windows_.size()));
    if (inserted) windows_.push_back({"", communicator});
    map.windows[w.id] = {it->second, w.function};
    if (w.shares_memory) windows_[it->second].bases.emplace_back(rank, w.base);
    units_.set(it->second, rank, w.unit);
  }
  for (const auto& f : local.files) {
    const auto communicator = map.communicator(f.communicator);
    const auto [it, inserted] =
        file_ids_.try_emplace({f.name, communicator}, static_cast<std::uint32_t>(files_.size()));
    if (inserted) files_.push_back({f.name, communicator});
    map.files[f.id] = it->second;
  }
  const ActiveSet all{0, 0, static_cast<std::int32_t>(world_size_)};
  if (local.has_shmem) map.everyone = window_of(all);
  for (const auto& set : local.sets) {
    const auto members = set.members();
    const bool fits =
        !members.empty() && members.size() == static_cast<std::size_t>(set.size) && members.back() < all.size;
    if (fits) map.sets[set] = window_of(set);
  }
  for (const auto& n : local.names) {
    if (n.window) {
      if (const auto id = map.window(n.id).global; id != archive::no_id && windows_[id].name.empty())
        windows_[id].name = n.text;
    } else if (const auto id = map.communicator(n.id); id != archive::no_id && communicators_[id].name.empty()) {
      communicators_[id].name = n.text;
    }
  }
  return map;
}

void GlobalDefinitions::finish(archive::Definitions& out) {
  std::set<CartesianGrid> known;  // MPI_Comm_dup makes equal ones
  for (auto& [communicator, grid] : grids_) {
    if (!known.insert(grid).second) continue;
    grid.name = communicators_[communicator].name;
    out.grids.emplace_back(communicator, std::move(grid));
  }
  out.communicators = std::move(communicators_);
  out.windows = std::move(windows_);
  out.groups = std::move(groups_);
  out.files = std::move(files_);
}

void WindowUnits::set(std::uint32_t window, std::uint32_t rank, std::uint64_t unit) {
  if (window >= units_.size()) units_.resize(window + 1);
  if (rank >= present_.size()) present_.resize(rank + 1);
  present_[rank] = true;
  Units& u = units_[window];
  if (u.usual == 0) u.usual = unit;
  if (unit != u.usual) u.others[rank] = unit;
}

std::uint64_t WindowUnits::of(const archive::Definitions& definitions, std::uint32_t window, std::uint32_t target,
                              std::uint32_t own) const {
  if (window >= units_.size() || window >= definitions.windows.size()) return 0;
  const auto comm = definitions.windows[window].communicator;
  if (comm >= definitions.communicators.size()) return 0;
  const auto group = definitions.communicators[comm].group;
  std::uint32_t rank = own;  // MPI_COMM_SELF
  if (group < definitions.groups.size()) {
    if (target >= definitions.groups[group].size()) return 0;
    rank = definitions.groups[group][target];
  }
  if (rank >= present_.size() || !present_[rank]) return 0;
  const auto other = units_[window].others.find(rank);
  return other == units_[window].others.end() ? units_[window].usual : other->second;
}

}  // namespace mora::experiment
