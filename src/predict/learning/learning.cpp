#include "predict/learning/learning.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <Eigen/QR>

#include <fmt/format.h>

#include "base/numbers/relative_fit.h"

namespace mora::predict {

namespace {

constexpr double least_gain = 0.02;  ///< a feature must lower the error by that part of it
constexpr std::size_t most_features = 4;
constexpr double needed_gain = 0.1, needed_confidence = 0.95;

/// A constant and each feature: the sums of which the normal equations are made.
constexpr std::size_t equation_columns = feature_count + 1;
using FeatureSquare = Eigen::Matrix<double, equation_columns, equation_columns>;
using FeatureColumn = Eigen::Matrix<double, equation_columns, 1>;

struct LearningRow {
  FeatureColumn x;    ///< 1, then the features, shifted and scaled
  double y = 0;       ///< ln(measured / predicted)
  double weight = 0;  ///< all of an application together have 1
};

struct HeldApplication {
  std::string name;
  std::uint64_t runs = 0;
  std::vector<LearningRow> rows;
  FeatureSquare products = FeatureSquare::Zero();
  FeatureColumn targets = FeatureColumn::Zero();
  FeatureColumn least = FeatureColumn::Constant(INFINITY), most = FeatureColumn::Constant(-INFINITY);
};

using IndexSet = std::vector<std::size_t>;  ///< of features, ascending, or of applications

/// A correction in shifted and scaled features.
struct FittedCorrection {
  bool identity = true;  ///< no correction is better than any
  IndexSet features;
  Eigen::VectorXd coefficients;  ///< of the constant and of `features`
  FeatureColumn least, most;
  const IndexSet* looked_at = nullptr;

  bool applies(const LearningRow& row) const {
    const auto inside = [&](std::size_t f) {
      const auto c = static_cast<Eigen::Index>(f + 1);
      return row.x[c] >= least[c] - 1e-9 && row.x[c] <= most[c] + 1e-9;
    };
    const auto never_differed = [&](std::size_t f) {
      const auto c = static_cast<Eigen::Index>(f + 1);
      return most[c] - least[c] < 1e-9;
    };
    return !identity && std::all_of(features.begin(), features.end(), inside) &&
           std::all_of(looked_at->begin(), looked_at->end(),
                       [&](std::size_t f) { return !never_differed(f) || inside(f); });
  }
  double at(const LearningRow& row) const {
    double sum = coefficients[0];
    for (std::size_t i = 0; i < features.size(); ++i)
      sum += coefficients[static_cast<Eigen::Index>(i + 1)] * row.x[static_cast<Eigen::Index>(features[i] + 1)];
    return sum;
  }
};

double model_error(const HeldApplication& a) {
  double error = 0;
  for (const LearningRow& row : a.rows) error += row.weight * std::abs(row.y);
  return error;
}

double error_of(const FittedCorrection& fit, const HeldApplication& a) {
  double error = 0;
  for (const LearningRow& row : a.rows) error += row.weight * std::abs(fit.applies(row) ? row.y - fit.at(row) : row.y);
  return error;
}

class CorrectionLearner {
 public:
  explicit CorrectionLearner(const std::vector<HeldApplication>& applications) : a_(applications) {}

  /// Least squares of these features.
  FittedCorrection fit(const IndexSet& from, const IndexSet& features, const IndexSet& looked_at) const {
    FittedCorrection f;
    f.identity = false;
    f.features = features;
    f.looked_at = &looked_at;
    f.least = FeatureColumn::Constant(INFINITY);
    f.most = FeatureColumn::Constant(-INFINITY);
    FeatureSquare products = FeatureSquare::Zero();
    FeatureColumn targets = FeatureColumn::Zero();
    for (const std::size_t i : from) {
      products += a_[i].products;
      targets += a_[i].targets;
      f.least = f.least.cwiseMin(a_[i].least);
      f.most = f.most.cwiseMax(a_[i].most);
    }
    const auto n = static_cast<Eigen::Index>(features.size() + 1);
    const auto column = [&](Eigen::Index i) {
      return i == 0 ? Eigen::Index{0} : static_cast<Eigen::Index>(features[static_cast<std::size_t>(i - 1)] + 1);
    };
    Eigen::MatrixXd matrix(n, n);
    Eigen::VectorXd target(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      target[i] = targets[column(i)];
      for (Eigen::Index j = 0; j < n; ++j) matrix(i, j) = products(column(i), column(j));
    }
    // Of features that say the same the shortest solution: no coefficient is larger than it must be.
    f.coefficients = matrix.completeOrthogonalDecomposition().solve(target);
    return f;
  }

  /// The mean error of applications each of which is held out, with the same features.
  double cross_error(const IndexSet& from, const IndexSet& features, const IndexSet& looked_at) const {
    double sum = 0;
    for (const std::size_t held : from) {
      IndexSet others;
      std::copy_if(from.begin(), from.end(), std::back_inserter(others), [&](std::size_t i) { return i != held; });
      sum += error_of(fit(others, features, looked_at), a_[held]);
    }
    return sum / static_cast<double>(from.size());
  }

  /// Chooses features, and fits them; the identity where that has the smallest error.
  FittedCorrection learn(const IndexSet& from, const IndexSet& looked_at) const {
    double none = 0;
    for (const std::size_t i : from) none += model_error(a_[i]);
    none /= static_cast<double>(from.size());
    IndexSet chosen;
    double error = cross_error(from, chosen, looked_at);
    while (chosen.size() < most_features) {
      double best_error = INFINITY;
      IndexSet best;
      for (const std::size_t f : looked_at) {
        if (std::find(chosen.begin(), chosen.end(), f) != chosen.end()) continue;
        IndexSet with = chosen;
        with.insert(std::upper_bound(with.begin(), with.end(), f), f);
        const double e = cross_error(from, with, looked_at);
        if (e < best_error) best_error = e, best = std::move(with);
      }
      if (best.empty() || best_error >= error * (1 - least_gain)) break;
      chosen = std::move(best);
      error = best_error;
    }
    return error < none * (1 - least_gain) ? fit(from, chosen, looked_at) : FittedCorrection{};
  }

  /// Each application held out from choosing and from fitting.
  std::vector<FittedCorrection> held_out(const IndexSet& looked_at) const {
    std::vector<FittedCorrection> fits;
    for (std::size_t held = 0; held < a_.size(); ++held) {
      IndexSet others;
      for (std::size_t i = 0; i < a_.size(); ++i)
        if (i != held) others.push_back(i);
      fits.push_back(learn(others, looked_at));
    }
    return fits;
  }

  double mean_error(const std::vector<FittedCorrection>& fits) const {
    double sum = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) sum += error_of(fits[i], a_[i]);
    return sum / static_cast<double>(a_.size());
  }

 private:
  const std::vector<HeldApplication>& a_;
};

/// What features are shifted and scaled by, so that the equations are well conditioned.
struct FeatureScale {
  FeatureRow shift{}, unit{};
};

FeatureScale feature_scale_of(const std::vector<Observation>& observations) {
  FeatureScale s;
  for (std::size_t f = 0; f < feature_count; ++f) {
    double least = INFINITY, most = -INFINITY;
    for (const Observation& o : observations) {
      least = std::min(least, o.features[f]);
      most = std::max(most, o.features[f]);
    }
    s.shift[f] = (least + most) / 2;
    s.unit[f] = most > least ? (most - least) / 2 : 1;
  }
  return s;
}

std::vector<HeldApplication> applications_of(const std::vector<Observation>& observations, const FeatureScale& scale) {
  std::map<std::string, std::map<std::uint32_t, std::uint64_t>> ranks;  // by application and run
  for (const Observation& o : observations) ++ranks[o.application][o.run];
  std::vector<HeldApplication> all;
  std::map<std::string, std::size_t> number;
  for (const auto& [name, runs] : ranks) {
    number[name] = all.size();
    all.emplace_back();
    all.back().name = name;
    all.back().runs = runs.size();
  }
  for (const Observation& o : observations) {
    HeldApplication& a = all[number[o.application]];
    LearningRow row;
    row.x[0] = 1;
    for (std::size_t f = 0; f < feature_count; ++f)
      row.x[static_cast<Eigen::Index>(f + 1)] = (o.features[f] - scale.shift[f]) / scale.unit[f];
    row.y = std::log(o.measured / o.predicted);
    row.weight = 1 / (static_cast<double>(a.runs) * static_cast<double>(ranks[o.application][o.run]));
    a.products += row.weight * row.x * row.x.transpose();
    a.targets += row.weight * row.y * row.x;
    a.least = a.least.cwiseMin(row.x);
    a.most = a.most.cwiseMax(row.x);
    a.rows.push_back(row);
  }
  return all;
}

/// Of pairs of size and weight: the size that nine tenths of the weight do not exceed.
double weighted_ninth_decile(std::vector<std::pair<double, double>> sizes) {
  std::sort(sizes.begin(), sizes.end());
  double all = 0, sum = 0;
  for (const auto& [size, weight] : sizes) all += weight;
  for (const auto& [size, weight] : sizes)
    if ((sum += weight) >= 0.9 * all - 1e-12) return size;
  return sizes.empty() ? 0 : sizes.back().first;
}

/// In the features' own units.
Correction correction_of(const FittedCorrection& fit, const FeatureScale& scale) {
  Correction c;
  if (!fit.identity) c.constant = fit.coefficients[0];
  for (std::size_t f = 0; f < feature_count; ++f) {
    CorrectionTerm term;
    term.feature = f;
    if (!fit.identity) {
      const auto column = static_cast<Eigen::Index>(f + 1);
      term.from = scale.shift[f] + scale.unit[f] * fit.least[column];
      term.to = scale.shift[f] + scale.unit[f] * fit.most[column];
      const auto at = std::find(fit.features.begin(), fit.features.end(), f);
      if (at != fit.features.end()) {
        term.coefficient = fit.coefficients[(at - fit.features.begin()) + 1] / scale.unit[f];
        c.constant -= term.coefficient * scale.shift[f];
      }
    }
    c.terms.push_back(term);
  }
  return c;
}

IndexSet features_of(std::string_view categories) {
  IndexSet set;
  for (std::size_t f = 0; f < feature_count; ++f)
    if (categories.find(rank_feature_table()[f].category) != std::string_view::npos) set.push_back(f);
  return set;
}

}  // namespace

Result<Learned> learn_correction(const std::vector<Observation>& observations) {
  std::set<std::string> names;
  for (const Observation& o : observations) names.insert(o.application);
  if (names.size() < fewest_applications)
    return fail(ErrorKind::usage,
                fmt::format("a correction is learned from {} applications or more", fewest_applications), "",
                fmt::format("these runs are of {}: {}", names.size(), fmt::join(names, ", ")),
                "each application is held out once, to see whether the correction holds for a program that it has not "
                "seen: record other programs, too");
  const FeatureScale scale = feature_scale_of(observations);
  const std::vector<HeldApplication> applications = applications_of(observations, scale);
  const CorrectionLearner learner(applications);
  const IndexSet all_features = features_of("ABC");
  const std::vector<FittedCorrection> fits = learner.held_out(all_features);
  Learned learned;
  std::vector<double> gains;
  std::vector<std::pair<double, double>> sizes;
  for (std::size_t i = 0; i < applications.size(); ++i) {
    const HeldApplication& a = applications[i];
    HeldOut held{a.name, a.runs, a.rows.size(), model_error(a), error_of(fits[i], a), 0};
    for (const LearningRow& row : a.rows) {
      if (!fits[i].applies(row)) continue;
      ++held.applied;
      sizes.emplace_back(std::abs(row.y - fits[i].at(row)), row.weight);
    }
    learned.model_error += held.model / static_cast<double>(applications.size());
    learned.corrected_error += held.corrected / static_cast<double>(applications.size());
    gains.push_back(held.model - held.corrected);
    learned.applications.push_back(std::move(held));
  }
  const double gain = learned.model_error - learned.corrected_error;
  double squares = 0;
  for (const double one : gains) squares += (one - gain) * (one - gain);
  const auto n = static_cast<double>(gains.size());
  learned.standard_error = std::sqrt(squares / (n - 1) / n);
  IndexSet everything(applications.size());
  for (std::size_t i = 0; i < everything.size(); ++i) everything[i] = i;
  const FittedCorrection fit = learner.learn(everything, all_features);
  learned.correction = correction_of(fit, scale);
  learned.correction.held_out_error = std::expm1(weighted_ninth_decile(std::move(sizes)));
  learned.beats_model =
      !fit.identity && gain >= needed_gain * learned.model_error &&
      gain > student_quantile(needed_confidence, static_cast<int>(gains.size()) - 1) * learned.standard_error;
  for (const auto& [words, categories] : {std::pair{"none: a constant factor", ""},
                                          {"A, B and C", "ABC"},
                                          {"without A", "BC"},
                                          {"without B", "AC"},
                                          {"without C", "AB"}}) {
    const IndexSet set = features_of(categories);
    learned.ablations.push_back({words, learner.mean_error(learner.held_out(set))});
  }
  return learned;
}

}  // namespace mora::predict
