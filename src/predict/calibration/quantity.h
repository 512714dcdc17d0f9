/// What is measured beside the lines of messages: one number with its interval, and how far single samples are from it.
///
/// Rule calibration-practice: medians, intervals of 95 % from the order of the values (no distribution is assumed),
/// errors of values that were left out. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "predict/calibration/samples.h"

namespace mora::predict {

struct Quantity {
  std::string class_name;               ///< empty: of no class
  std::string name;                     ///< "fence", "memory_ns_per_byte"
  double value = 0, low = 0, high = 0;  ///< the ends of the interval of 95 %
  std::uint64_t samples = 0, outliers = 0;
  double median_error = 0, ninth_decile_error = 0;  ///< relative, cross-validated
};

/// The value of nearest rank; 0 of none.
double quantile(std::vector<double> values, double part);

/// A time that is the same for all samples: their median. The errors: of each pass's median from all other passes'.
Quantity constant_quantity(const SizeSamples& samples, const std::string& class_name, const std::string& name);

/// measured = base + rate factor.
struct RateSample {
  double base = 0, factor = 1, measured = 0;  ///< the last two are above 0
};
/// The median of all rates, and its interval; the errors of `measured`, each from the rates without every fifth. At
/// least one sample.
Quantity rate_quantity(const std::vector<RateSample>& samples, const std::string& class_name, const std::string& name);

/// Of times of the same work: their ninth decile by their median, each five-fold left out.
Quantity spread_quantity(const std::vector<std::int64_t>& ns, const std::string& name);

}  // namespace mora::predict
