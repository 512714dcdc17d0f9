/// One-sided calls: from their samples to the models of machine.json ("one_sided").
///
/// A transfer costs its processor what its call lasts; it is complete when the call and a flush behind it are over,
/// less what a flush of nothing lasts. An epoch of two ranks has two signals, that it is posted and that it is
/// complete: what is left of its time without the four calls, a half for each. What a lock's giving back lasts is what
/// the call lasts behind a transfer, less the rest of the transfer. Rule calibration-practice. Pure functions.
#pragma once

#include <array>
#include <vector>

#include "predict/calibration/quantity.h"
#include "predict/machine/message_model.h"
#include "replay/actions/window_call.h"

namespace mora::predict {

struct OneSidedCosts {
  std::array<std::vector<CostRange>, replay::window_call_count> calls;  ///< empty: not measured
  std::uint64_t measured_up_to = 0;
  bool any() const {
    for (const auto& call : calls) {
      if (!call.empty()) return true;
    }
    return false;
  }
};

/// Appends to `quantities` one for each call; of transfers the time until the smallest is complete, and the errors of
/// all sizes.
OneSidedCosts one_sided_costs(const ClassSamples& samples, std::vector<Quantity>& quantities);

}  // namespace mora::predict
