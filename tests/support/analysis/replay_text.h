/// For tests: replays a trace text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "replay/replay.h"
#include "replay/simulation.h"
#include "trace/readers/text/text_source.h"

namespace mora::replay {

struct ReplayedText {
  Replayed result;
  trace::Definitions definitions;

  /// End of every location: "7 5 0 6".
  std::string ends() const {
    std::string text;
    for (const ReplayedLocation& l : result.locations) text += (text.empty() ? "" : " ") + std::to_string(l.end);
    return text;
  }
  /// "own/waiting" of the first node of that region on a location; empty if there is none.
  std::string node(const std::string& region, std::size_t location) const {
    for (const ReplayedNode& n : result.locations.at(location).nodes) {
      if (n.region == trace::no_id ? region.empty() : definitions.regions[n.region].name == region)
        return std::to_string(n.own) + "/" + std::to_string(n.waiting);
    }
    return {};
  }
  std::uint64_t damage(const std::string& kind) const {
    std::uint64_t n = 0;
    for (const QualityRow& row : result.quality.rows()) n += row.kind == kind ? row.count : 0;
    return n;
  }
};

inline ReplayedText replay_text(const std::string& lines, std::uint64_t shuffle = 0) {
  auto source = trace::read_trace_text("mora-trace 1\n" + lines, "test.trace");
  EXPECT_TRUE(source) << (source ? "" : source.error().text());
  if (!source) return {};
  SimulationOptions order;
  order.shuffle = shuffle;
  auto replayed = replay_in_order(**source, {}, order);
  EXPECT_TRUE(replayed) << (replayed ? "" : replayed.error().text());
  if (!replayed) return {};
  ReplayedText text{std::move(*replayed), (*source)->definitions()};
  return text;
}

}  // namespace mora::replay
