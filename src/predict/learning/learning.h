/// Learns a correction (correction.h) from recorded runs, and says by applications that were held out whether it is
/// better than the analytical model.
///
/// Idea: ranks of one run, and runs of one application, are alike, so a correction that was shown one of them knows the
/// others. Each application is therefore held out as a whole; the correction is learned from the others, features and
/// all, and its error is that on the one it has not seen. Features are chosen one after the other, while the next one
/// lowers the error of the applications held out among those at hand by a fiftieth; so what chooses never sees what
/// judges. Coefficients: least squares (Eigen), each application, each of its runs and each rank of a run as heavy as
/// its like. The error of an application is the mean |ln(measured / predicted)| of its ranks; a rank out of the range
/// counts with its uncorrected prediction.
///
/// A correction is used if the mean error of the applications held out is a tenth smaller than the model's, and the
/// interval of 95 % of the mean difference (Student's t: applications are few) does not hold 0. Source: hold-out of
/// groups: Stone 1974; forward selection: Efroymson 1960. Rule: learned-correction. Cost: (applications x features)^2,
/// each a system of equations of few unknowns, and as many passes over the ranks. Pure, thread-safe, deterministic.
#pragma once

#include <string>
#include <vector>

#include "predict/learning/correction.h"

namespace mora::predict {

/// One rank of one run.
struct Observation {
  std::string application;
  std::uint32_t run = 0;  ///< number within all runs
  FeatureRow features{};
  double predicted = 0, measured = 0;  ///< time in MPI; both above 0
};

inline constexpr std::size_t fewest_applications = 4;

struct HeldOut {
  std::string application;
  std::uint64_t runs = 0, ranks = 0;
  double model = 0, corrected = 0;  ///< mean |ln(measured / …)|
  std::uint64_t applied = 0;        ///< ranks that the correction applied to
};

/// The error of applications held out, if only some features may be used.
struct Ablation {
  std::string features;  ///< "A, B, C", "without A"
  double error = 0;      ///< mean over applications of HeldOut::corrected
};

struct Learned {
  Correction correction;
  bool beats_model = false;
  std::vector<HeldOut> applications;            ///< by name
  double model_error = 0, corrected_error = 0;  ///< means over the applications
  double standard_error = 0;                    ///< of the mean of their differences
  std::vector<Ablation> ablations;              ///< the first has no feature: a constant factor
};

/// Errors (usage): fewer than fewest_applications.
Result<Learned> learn_correction(const std::vector<Observation>& observations);

}  // namespace mora::predict
