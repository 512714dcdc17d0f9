/// A machine model and a placement as a network of the replay.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "mpi/schedules/algorithm.h"
#include "predict/machine/model.h"
#include "replay/costs/network.h"

namespace mora::predict {

/// Where the ranks are, as far as it is known. By rank.
struct RankPlaces {
  std::vector<std::uint32_t> node;
  std::vector<std::string> core;  ///< on its node, as a launcher's placement names it; empty: not known
  Locality between(std::uint32_t a, std::uint32_t b) const;
};

enum class CostModel : std::uint8_t {
  machine,  ///< as the file says
  hockney,  ///< a straight line through its smallest message and one of 1 MiB: hockney_of()
};

class MachineNetwork final : public replay::Network {
 public:
  /// Errors (unreadable): the model has no class that the placement needs, or its topology fewer nodes; `file` names
  /// it.
  static Result<MachineNetwork> make(const MachineModel& machine, const RankPlaces& places,
                                     mpi::schedule::CollectiveModel collectives, CostModel model,
                                     const std::string& file);
  replay::MessageCost message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override;
  std::uint64_t distance(std::uint32_t from, std::uint32_t to) const override;
  std::optional<replay::MessageCost> window(replay::WindowCall call, std::uint32_t from, std::uint32_t to,
                                            std::uint64_t bytes) const override;
  /// The model knows what the call on a window costs, whatever its target: in every class of distance that the
  /// placement has, of one with all ranks of the window in the farthest.
  bool has_measured(const mpi::Function& function) const;
  bool shares() const override { return shared_.any(); }
  void uses(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
            std::vector<replay::SharedUse>& into) const override;
  mpi::schedule::Algorithm collective(const mpi::schedule::CollectiveCase& c) const override {
    return choose_algorithm(collectives_, c);
  }
  /// The same network, all costs raised (1) or lowered (-1) by the model's own relative error for the size.
  MachineNetwork bounded(int direction) const;
  /// Whether it states any; else bounded() is the same network.
  bool states_errors() const;
  /// The same network, parts of the costs of all messages multiplied.
  MachineNetwork scaled(const CostScale& scale) const;
  /// Messages asked for that are larger than what the class was measured for.
  std::uint64_t largest_beyond() const { return beyond_->load(); }
  const std::vector<Locality>& used() const { return used_; }  ///< classes of the placement, nearest first

 private:
  void note_size(const MessageModel& model, std::uint64_t bytes) const;
  /// What the costs of messages of that size are multiplied by.
  CostScale scale_of(const MessageModel& model, std::uint64_t bytes) const;
  /// The links between two nodes beyond the fewest.
  std::uint64_t further_links(std::uint32_t from, std::uint32_t to) const;
  Nanoseconds further_latency(std::uint32_t from, std::uint32_t to, const CostScale& scale) const;

  const RankPlaces* places_ = nullptr;
  std::array<std::shared_ptr<const MessageModel>, locality_count> models_;
  std::array<WindowModels, locality_count> windows_;
  mpi::schedule::CollectiveModel collectives_ = mpi::schedule::CollectiveModel::linear;
  std::shared_ptr<const Topology> topology_;  ///< nullptr: hops cost nothing
  double hop_latency_ns_ = 0;
  SharedCosts shared_;
  int direction_ = 0;
  CostScale scale_;
  std::vector<Locality> used_;
  std::shared_ptr<std::atomic<std::uint64_t>> beyond_ = std::make_shared<std::atomic<std::uint64_t>>(0);
};

}  // namespace mora::predict
