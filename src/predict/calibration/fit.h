/// Lines of the parts of a call's time, from how long the whole and its parts last.
#pragma once

#include <vector>

#include "predict/calibration/samples.h"
#include "predict/calibration/segments.h"
#include "predict/machine/message_model.h"

namespace mora::predict {

/// The medians of all sizes, at least 1 ns; none: of a test that was not made.
std::vector<FitPoint> points_of(const ClassSamples& samples, const std::string& test);

/// The points from `first` to `last`.
std::vector<FitPoint> points_between(const std::vector<FitPoint>& points, double first, double last);

/// What of the whole each end's processor does; the rest is latency and time per byte. Ranges end with their last size.
/// A rendezvous has the overheads of an empty message. The error of a range is the ninth decile of the cross-validated
/// errors of its sizes; all of those are appended to `errors`.
std::vector<CostRange> fit_parts(const std::vector<FitPoint>& whole, const std::vector<FitPoint>& sends,
                                 const std::vector<FitPoint>& receives, bool rendezvous, std::vector<double>& errors);

}  // namespace mora::predict
