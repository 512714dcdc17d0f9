/// For tests: replays a trace text on a network that costs something.
#pragma once

#include <string>

#include "support/analysis/replay_text.h"

namespace mora::replay {

/// 5 ns for each processor, 100 + b ns between, 0 ns between two messages unless said.
class LineNetwork : public Network {
 public:
  Nanoseconds send_overhead = 5, receive_overhead = 5, latency = 100, gap = 0, gap_per_byte = 0, per_byte = 1;
  std::uint64_t eager_up_to = UINT64_MAX;
  mpi::schedule::CollectiveModel model = mpi::schedule::CollectiveModel::algorithms;
  Nanoseconds far = 0;  ///< added between even and odd ranks
  MessageCost message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    const auto b = static_cast<Nanoseconds>(bytes);
    return {send_overhead, gap + b * gap_per_byte, latency + ((from ^ to) % 2 == 1 ? far : 0),
            b * per_byte,  receive_overhead,       bytes > eager_up_to};
  }
  mpi::schedule::Algorithm collective(const mpi::schedule::CollectiveCase& c) const override {
    return choose_algorithm(model, c);
  }
};

/// Two ranks on each node, which share its connection: leaving, entering. Within a node they share its memory.
class SharingNetwork final : public LineNetwork {
 public:
  Nanoseconds connection_per_byte = 1, memory_per_byte = 0;
  bool shares() const override { return true; }
  void uses(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::vector<SharedUse>& into) const override {
    const auto b = static_cast<Nanoseconds>(bytes);
    const std::uint64_t a = from / 2, c = to / 2;
    if (a == c) {
      if (b * memory_per_byte > 0) into.push_back({3 * a + 2, b * memory_per_byte});
    } else if (b * connection_per_byte > 0) {
      into.push_back({3 * a, b * connection_per_byte});
      into.push_back({3 * c + 1, b * connection_per_byte});
    }
  }
};

inline SharingNetwork sharing(Nanoseconds connection_per_byte, Nanoseconds memory_per_byte = 0) {
  SharingNetwork network;
  network.connection_per_byte = connection_per_byte;
  network.memory_per_byte = memory_per_byte;
  return network;
}

struct OnNetwork {
  ReplayedText text;
  std::string ends() const { return text.ends(); }
  /// "own = waiting + transfer + overhead" of the first node of that region.
  std::string parts(const std::string& region, std::size_t location) const {
    for (const ReplayedNode& n : text.result.locations.at(location).nodes) {
      if (n.region == trace::no_id ? region.empty() : text.definitions.regions[n.region].name == region)
        return std::to_string(n.own) + " = " + std::to_string(n.waiting) + " + " + std::to_string(n.transfer) + " + " +
               std::to_string(n.overhead);
    }
    return {};
  }
};

inline OnNetwork on(const Network& network, const std::string& lines, std::uint64_t shuffle = 0,
                    std::uint64_t compute_factor = 1'000'000, bool stops_at_circle = true) {
  auto source = trace::read_trace_text("mora-trace 1\n" + lines, "test.trace");
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  if (!source) return {};
  Collecting collecting;
  collecting.detailed = true;
  collecting.compute_factor = compute_factor;
  SimulationOptions order;
  order.shuffle = shuffle;
  order.stops_at_circle = stops_at_circle;
  auto replayed = replay_in_order(**source, {&network}, {}, collecting, order);
  EXPECT_TRUE(replayed) << (replayed ? "" : replayed.error().text());
  if (!replayed) return {};
  return {{std::move(replayed->front()), (*source)->definitions()}};
}

}  // namespace mora::replay
