/// Samples become a machine model (docs/formats/machine.md, version 2).
///
/// Of each class the half round trips are cut into ranges (segments.h), eager and rendezvous sizes apart, since what
/// waits for its receive is known exactly. In a range the sender's overhead is a line through how long a send lasts
/// that need not wait, the receiver's a line through how long the receive of a message lasts that is there already;
/// latency and time per byte are what is left of the half round trip. Where both overheads are more than it, they are
/// lowered together to it: ends work at the same time in a round trip. A rendezvous has the overheads of an empty
/// message. The error of a range is the ninth decile of the cross-validated errors of its sizes. A gap is what each
/// further message of a train takes, where that is more than the processors and the way of its bytes explain; else 0.
/// One-sided calls: one_sided.h; what several pairs share: sharing.h.
#pragma once

#include <string>
#include <vector>

#include "predict/calibration/collectives.h"
#include "predict/calibration/one_sided.h"
#include "predict/calibration/quantity.h"
#include "predict/calibration/samples.h"
#include "predict/machine/model.h"

namespace mora::predict {

struct CalibratedClass {
  std::string name;
  std::vector<CostRange> ranges;
  OneSidedCosts one_sided;
  std::uint64_t measured_up_to = 0;
  std::uint64_t sizes = 0, samples = 0, outliers = 0;
  double median_error = 0, ninth_decile_error = 0;  ///< cross-validated, of all sizes
  double median_interval = 0;  ///< width of the intervals of the medians by the medians; the median of all sizes
  double quartile_ratio = 1;   ///< the median of all sizes
};

struct Calibration {
  std::string library, host, seed;
  std::uint32_t ranks = 0;
  std::vector<CalibratedClass> classes;
  SharedCosts shared;
  std::vector<Quantity> quantities;  ///< what is measured beside the messages of a class
  std::vector<CollectiveCheck> collectives;
  std::vector<std::string> not_measured;  ///< sentences: what, and why not
  std::vector<std::string> warnings;      ///< sentences: noise, sizes that say nothing
};

/// Errors (unreadable): a class without half round trips.
Result<Calibration> calibrate(const CalibrationSamples& samples, const std::string& file);

/// What the file says of how it was made.
struct CalibrationNames {
  std::string name, command, raw_file;
  double budget_seconds = 0;
};
/// The file, with all of this under "calibration".
std::string machine_json(const Calibration& calibration, const CalibrationNames& names);

}  // namespace mora::predict
