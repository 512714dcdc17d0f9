/// Which class a pair of ranks has, and what its model says.
#include "predict/prediction/machine_network.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace mora::predict {

Locality RankPlaces::between(std::uint32_t a, std::uint32_t b) const {
  if (a == b) return Locality::same_core;
  if (a >= node.size() || b >= node.size() || node[a] != node[b]) return Locality::other_node;
  const bool known = a < core.size() && b < core.size() && !core[a].empty() && !core[b].empty();
  return known && core[a] == core[b] ? Locality::same_core : Locality::same_node;
}

Result<MachineNetwork> MachineNetwork::make(const MachineModel& machine, const RankPlaces& places,
                                            mpi::schedule::CollectiveModel collectives, CostModel model,
                                            const std::string& file) {
  MachineNetwork network;
  network.places_ = &places;
  network.collectives_ = collectives;
  std::set<Locality> used;
  std::vector<std::uint32_t> sorted = places.node;
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty() && sorted.front() != sorted.back()) used.insert(Locality::other_node);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) used.insert(Locality::same_node);
  std::set<std::pair<std::uint32_t, std::string>> cores;
  for (std::size_t r = 0; r < places.core.size() && r < places.node.size(); ++r) {
    if (!places.core[r].empty() && !cores.emplace(places.node[r], places.core[r]).second)
      used.insert(Locality::same_core);
  }
  for (std::size_t i = 0; i < locality_count; ++i) {
    const auto locality = static_cast<Locality>(i);
    const MessageModel* found = machine.find(locality);
    if (found == nullptr && used.count(locality) != 0)
      return fail(ErrorKind::unreadable, "the machine model has no class that the placement needs", file,
                  fmt::format("{} is missing, and some ranks are so far apart", name_of(locality)),
                  "add it to the file (docs/formats/machine.md), or place the ranks otherwise (--map)");
    if (found == nullptr) continue;
    if (model == CostModel::hockney) {
      network.models_[i] = std::make_shared<HockneyModel>(hockney_of(*found));
    } else {
      const std::size_t index = *machine.index_of(locality);
      network.models_[i] = machine.classes[index];
      network.windows_[i] = machine.windows[index];
    }
  }
  if (machine.topology != nullptr && !sorted.empty() && sorted.back() >= machine.topology->nodes())
    return fail(ErrorKind::unreadable, "the topology of the machine model has fewer nodes than the placement", file,
                fmt::format("it connects {}, and ranks are on node {}", machine.topology->nodes(), sorted.back()),
                "nodes are numbered from 0, in the order of the placement");
  // The straight line is a baseline without any distance, and nobody shares anything there.
  if (model == CostModel::machine) {
    network.topology_ = machine.topology;
    network.hop_latency_ns_ = machine.hop_latency_ns;
    network.shared_ = machine.shared;
  }
  network.used_.assign(used.begin(), used.end());
  return network;
}

std::uint64_t MachineNetwork::further_links(std::uint32_t from, std::uint32_t to) const {
  if (topology_ == nullptr || from >= places_->node.size() || to >= places_->node.size()) return 0;
  const std::uint64_t hops = topology_->hops(places_->node[from], places_->node[to]), near = topology_->fewest();
  return hops > near ? hops - near : 0;
}

std::uint64_t MachineNetwork::distance(std::uint32_t from, std::uint32_t to) const {
  return further_links(from, to) * locality_count + static_cast<std::uint64_t>(places_->between(from, to));
}

CostScale MachineNetwork::scale_of(const MessageModel& model, std::uint64_t bytes) const {
  if (direction_ == 0) return scale_;
  const double all = std::max(0.0, 1 + direction_ * model.at(bytes).relative_error);
  return {all * scale_.latency, all * scale_.bytes, all * scale_.overhead};
}

replay::MessageCost MachineNetwork::message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
  const auto& model = models_[static_cast<std::size_t>(places_->between(from, to))];
  // A rank's messages to itself, where no class of one node is known: they cost nothing.
  if (model == nullptr) return {};
  note_size(*model, bytes);
  const CostScale scale = scale_of(*model, bytes);
  replay::MessageCost cost = message_cost(*model, bytes, scale);
  cost.latency += further_latency(from, to, scale);
  return cost;
}

Nanoseconds MachineNetwork::further_latency(std::uint32_t from, std::uint32_t to, const CostScale& scale) const {
  return rounded_ns(scale.latency * (static_cast<double>(further_links(from, to)) * hop_latency_ns_), INT64_MAX / 16);
}

void MachineNetwork::note_size(const MessageModel& model, std::uint64_t bytes) const {
  if (bytes <= model.measured_up_to()) return;
  std::uint64_t seen = beyond_->load();
  while (seen < bytes && !beyond_->compare_exchange_weak(seen, bytes)) {
  }
}

std::optional<replay::MessageCost> MachineNetwork::window(replay::WindowCall call, std::uint32_t from, std::uint32_t to,
                                                          std::uint64_t bytes) const {
  if (call == replay::WindowCall::none) return {};
  const bool is_all = to >= places_->node.size();
  if (is_all && used_.empty()) return {};
  const Locality locality = is_all ? used_.back() : places_->between(from, to);
  const auto& model = windows_[static_cast<std::size_t>(locality)][static_cast<std::size_t>(call)];
  if (model == nullptr) return {};
  note_size(*model, bytes);
  const CostScale scale = scale_of(*model, bytes);
  replay::MessageCost cost = message_cost(*model, bytes, scale);
  if (!is_all && cost.latency > 0) cost.latency += further_latency(from, to, scale);
  return cost;
}

namespace {

/// Calls for all targets at once; the replay names none.
bool meets_all(const mpi::Function& f) {
  using mpi::FunctionId;
  return mpi::is_window_collective(f.call) || f.id == FunctionId::win_lock_all || f.id == FunctionId::win_unlock_all ||
         f.id == FunctionId::win_flush_all || f.id == FunctionId::win_flush_local_all;
}

}  // namespace

bool MachineNetwork::has_measured(const mpi::Function& function) const {
  const replay::WindowCall call = replay::window_call_of(function);
  if (call == replay::WindowCall::none) return false;
  const auto is_known = [&](Locality locality) {
    return windows_[static_cast<std::size_t>(locality)][static_cast<std::size_t>(call)] != nullptr;
  };
  if (used_.empty()) return !meets_all(function) && is_known(Locality::same_core);
  return meets_all(function) ? is_known(used_.back()) : std::all_of(used_.begin(), used_.end(), is_known);
}

void MachineNetwork::uses(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                          std::vector<replay::SharedUse>& into) const {
  if (from >= places_->node.size() || to >= places_->node.size()) return;
  const auto& model = models_[static_cast<std::size_t>(places_->between(from, to))];
  if (model == nullptr) return;
  enum Kind : std::uint64_t { leaving, entering, memory, link };
  const std::uint64_t a = places_->node[from], b = places_->node[to];
  const double scaled = scale_of(*model, bytes).bytes * static_cast<double>(bytes);
  const auto use = [&](std::uint64_t number, Kind kind, double ns_per_byte) {
    if (ns_per_byte <= 0) return;  // not given: also of costs beyond all numbers
    const Nanoseconds time = rounded_ns(scaled * ns_per_byte, INT64_MAX / 16);
    if (time > 0) into.push_back({number << 2 | kind, time});
  };
  if (a == b) return use(a, memory, shared_.memory_ns_per_byte);
  use(a, leaving, shared_.connection_ns_per_byte);
  if (shared_.link_ns_per_byte > 0 && topology_ != nullptr) {
    for (const Link& one : topology_->route(a, b))
      use(one.id, link, shared_.link_ns_per_byte / static_cast<double>(one.width));
  }
  use(b, entering, shared_.connection_ns_per_byte);
}

bool MachineNetwork::states_errors() const {
  const auto states = [](const auto& model) { return model != nullptr && model->states_errors(); };
  return std::any_of(models_.begin(), models_.end(), states) ||
         std::any_of(windows_.begin(), windows_.end(),
                     [&](const auto& calls) { return std::any_of(calls.begin(), calls.end(), states); });
}

MachineNetwork MachineNetwork::bounded(int direction) const {
  MachineNetwork other = *this;
  other.direction_ = direction;
  return other;
}

MachineNetwork MachineNetwork::scaled(const CostScale& scale) const {
  MachineNetwork other = *this;
  other.scale_ = scale;
  return other;
}

}  // namespace mora::predict
