#include "predict/scaling/laws/process_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace mora::predict {
namespace {

constexpr double k_confidence = 0.9;

struct Shape {
  std::string words;  ///< behind a factor: "/ P"
  ProcessShape of;
  unsigned tier = 0;           ///< 1: only where none of 0 fits
  std::size_t dimensions = 0;  ///< of the grid that it rests on
};

double extent(GridKind kind, double processes, std::size_t d) {
  return extents_of(kind, static_cast<std::uint32_t>(processes))[d];
}

std::vector<Shape> shapes() {
  std::vector<Shape> all = {
      {"/ P", [](double p) { return 1 / p; }},
      {"P", [](double p) { return p; }},
      {"log2(P), rounded up", [](double p) { return std::ceil(std::log2(p) - 1e-9); }},
      {"log2(P), rounded down", [](double p) { return std::floor(std::log2(p) + 1e-9); }},
      {"/ sqrt(P)", [](double p) { return 1 / std::sqrt(p); }},
      {"sqrt(P)", [](double p) { return std::sqrt(p); }},
      {"P^2", [](double p) { return p * p; }},
      {"/ P^2", [](double p) { return 1 / (p * p); }},
      {"P log2(P)", [](double p) { return p * std::log2(p); }},
      {"log2(P) / P", [](double p) { return std::log2(p) / p; }},
      {"/ P^(2/3)", [](double p) { return std::pow(p, -2.0 / 3); }},
      {"/ P^(1/3)", [](double p) { return std::pow(p, -1.0 / 3); }},
      {"P^(1/3)", [](double p) { return std::cbrt(p); }},
      {"(P / 2, rounded down)", [](double p) { return std::floor(p / 2); }, 1},
  };
  for (const GridKind kind : {GridKind::two, GridKind::three}) {
    const std::size_t dimensions = extents_of(kind, 1).size();
    for (std::size_t d = 0; d < dimensions; ++d) {
      const auto name = fmt::format("extent {} of the {}", d, words_of(kind));
      all.push_back({name, [=](double p) { return extent(kind, p, d); }, 1, dimensions});
      all.push_back({"/ " + name, [=](double p) { return 1 / extent(kind, p, d); }, 1, dimensions});
      for (std::size_t e = d + 1; dimensions == 3 && e < dimensions; ++e)
        all.push_back({fmt::format("/ (extents {} and {} of the {})", d, e, words_of(kind)),
                       [=](double p) { return 1 / (extent(kind, p, d) * extent(kind, p, e)); }, 1, dimensions});
    }
  }
  return all;
}

bool meets(double value, std::int64_t whole) {
  return std::abs(value - static_cast<double>(whole)) <= 1e-6 * std::max(1.0, std::abs(static_cast<double>(whole))) &&
         std::llround(value) == whole;
}

bool meets_all(const ByProcesses& values, const std::function<double(double)>& of) {
  return std::all_of(values.begin(), values.end(), [&](const auto& v) { return meets(of(v.first), v.second); });
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

void add_law(std::vector<ExactLaw>& laws, std::string words, std::function<double(double)> of, bool untested = false) {
  laws.push_back({std::move(words), [of = std::move(of)](std::uint32_t p) { return std::llround(of(p)); }, untested});
}

/// c z(P), and a + b z(P).
void add_laws(const ByProcesses& values, const Shape& shape, std::vector<ExactLaw>& laws) {
  std::vector<double> different;
  for (const auto& [p, value] : values) different.push_back(shape.of(p));
  const auto [low, high] = std::minmax_element(different.begin(), different.end());
  const double z0 = *low, z1 = *high;
  if (!(z1 > z0)) return;
  const auto value_at = [&](double z) {
    return static_cast<double>(
        std::next(values.begin(), std::find(different.begin(), different.end(), z) - different.begin())->second);
  };
  const double v0 = value_at(z0), v1 = value_at(z1), c = v1 / z1;
  const auto scaled = [c, of = shape.of](double p) { return c * of(p); };
  if (meets_all(values, scaled)) return add_law(laws, number(c) + " " + shape.words, scaled);
  // A straight line through two values of z says nothing.
  std::sort(different.begin(), different.end());
  if (std::unique(different.begin(), different.end()) - different.begin() < 3) return;
  const double b = (v1 - v0) / (z1 - z0), a = v0 - b * z0;
  const auto line = [a, b, of = shape.of](double p) { return a + b * of(p); };
  if (meets_all(values, line))
    add_law(laws, fmt::format("{} {:+.6g} {}", number(a), b, shape.words), line, values.size() <= fewest_runs);
}

/// n / P, rounded down or up, with a whole n.
void add_rounded(const ByProcesses& values, std::vector<ExactLaw>& laws) {
  for (const bool up : {false, true}) {
    std::int64_t low = 0, high = INT64_MAX / 4;
    for (const auto& [p, value] : values) {
      std::int64_t product = 0;
      if (__builtin_mul_overflow(value, std::int64_t{p}, &product) || product > INT64_MAX / 4 || product < 0) return;
      low = std::max(low, up ? product - p + 1 : product);
      high = std::min(high, up ? product : product + p - 1);
    }
    if (low > high) continue;
    for (const std::int64_t n : {low, high}) {
      laws.push_back({fmt::format("{} / P, rounded {}", n, up ? "up" : "down"),
                      [=](std::uint32_t p) { return up ? (n + p - 1) / p : n / p; }});
      if (low == high) break;
    }
  }
}

}  // namespace

std::vector<ExactLaw> exact_laws(const ByProcesses& values, const Vocabulary& vocabulary) {
  std::vector<ExactLaw> laws;
  if (values.size() < 2) return laws;
  const std::int64_t first = values.begin()->second;
  if (std::all_of(values.begin(), values.end(), [&](const auto& v) { return v.second == first; })) {
    laws.push_back({fmt::format("{}", first), [=](std::uint32_t) { return first; }});
    return laws;
  }
  if (values.size() < fewest_runs) return laws;
  static const std::vector<Shape> all = shapes();
  for (unsigned tier = 0; tier < 2; ++tier) {
    const bool is_explained = !laws.empty();
    for (const Shape& shape : all) {
      if (shape.tier != tier || (shape.dimensions != 0 && !vocabulary.has(shape.dimensions))) continue;
      if (!is_explained || (shape.dimensions != 0 && vocabulary.is_found)) add_laws(values, shape, laws);
    }
    if (tier == 0 && laws.empty()) add_rounded(values, laws);
  }
  return laws;
}

std::optional<FittedLaw> fit_law(const std::map<std::uint32_t, double>& values, std::uint32_t processes) {
  const auto log2 = [](double p) { return std::log2(p) + 1; };
  const std::vector<std::pair<std::string, ProcessShape>> scaled = {
      {"a", [](double) { return 1.0; }},
      {"a / P", [](double p) { return 1 / p; }},
      {"a / sqrt(P)", [](double p) { return 1 / std::sqrt(p); }},
      {"a / P^(2/3)", [](double p) { return std::pow(p, -2.0 / 3); }},
      {"a P", [](double p) { return p; }},
      {"a sqrt(P)", [](double p) { return std::sqrt(p); }},
      {"a (1 + log2(P))", log2},
  };
  const std::vector<std::pair<std::string, ProcessShape>> lines = {
      {"a + b / P", [](double p) { return 1 / p; }},
      {"a + b P", [](double p) { return p; }},
      {"a + b log2(P)", log2},
      {"a + b / sqrt(P)", [](double p) { return 1 / std::sqrt(p); }},
  };
  std::vector<std::string> words;
  std::vector<Fitter> laws;
  for (const auto& [name, shape] : scaled) {
    words.push_back(name);
    laws.emplace_back([shape = shape](const FitPoints& points) { return fit_scale(points, shape); });
  }
  for (const auto& [name, shape] : lines) {
    words.push_back(name);
    laws.emplace_back([shape = shape](const FitPoints& points) { return fit_line(points, shape); });
  }
  FitPoints points;
  for (const auto& [p, value] : values) {
    points.processes.push_back(p);
    points.reciprocals.push_back(1 / value);
  }
  // A part that is less than nothing is no part of a time or of a size.
  const auto allows = [](const RelativeFit& fit) { return fit.is_scaled || (fit.a >= 0 && fit.b >= 0); };
  const auto chosen = choose_law(points, laws, {processes}, k_confidence, allows);
  if (!chosen) return std::nullopt;
  return FittedLaw{words[chosen->law], interval_of(chosen->at.front()), chosen->leave_one_out};
}

}  // namespace mora::predict
