#include "predict/learning/report.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace mora::predict {

namespace {

std::string error_words(double mean_logarithm) { return fmt::format("{:.1f} %", 100 * std::expm1(mean_logarithm)); }

Cell error_cell(double mean_logarithm) { return {std::expm1(mean_logarithm), error_words(mean_logarithm)}; }

/// Terms that the correction has, those that matter most first.
std::vector<CorrectionTerm> used_terms(const Correction& correction) {
  std::vector<CorrectionTerm> used;
  for (const CorrectionTerm& term : correction.terms)
    if (term.coefficient != 0) used.push_back(term);
  std::stable_sort(used.begin(), used.end(), [](const CorrectionTerm& a, const CorrectionTerm& b) {
    return std::abs(a.coefficient * (a.to - a.from)) > std::abs(b.coefficient * (b.to - b.from));
  });
  return used;
}

void write_held_out(TextPage& page, const Learned& learned) {
  page.banner("APPLICATIONS HELD OUT: mean error of the MPI time of a rank");
  page.table({number("runs", 6), number("ranks", 7), number("model", 9), number("corrected", 10),
              number("applies to", 11), cut_words("application", 24)},
             learned.applications, "applications", [](const HeldOut& a) {
               return Cells{a.runs, a.ranks, error_cell(a.model), error_cell(a.corrected), a.applied, a.application};
             });
  page.paragraph(fmt::format(
      "all: model {}, corrected {}; each application is predicted by a correction that was learned from the "
      "others only; where that does not apply its ranks count with the model's error",
      error_words(learned.model_error), error_words(learned.corrected_error)));
}

void write_features(TextPage& page, const Correction& correction) {
  page.banner("FEATURES");
  Table table({words("feature", 22), words("category", 8), number("coefficient", 11), number("from", 8),
               number("to", 8), number("factor", 8)});
  const auto figure = [](double value) { return Cell(value, fmt::format("{:.3g}", value)); };
  for (const CorrectionTerm& term : used_terms(correction)) {
    const FeatureInfo& info = rank_feature_table()[term.feature];
    table.add({std::string(info.name), std::string(1, info.category), figure(term.coefficient), figure(term.from),
               figure(term.to), figure(std::exp(term.coefficient * (term.to - term.from)))});
  }
  page.table(table);
  page.paragraph(fmt::format("constant {:.3g}; factor: of the largest value, as a multiple of that of the smallest",
                             correction.constant));
  for (const CorrectionTerm& term : used_terms(correction)) {
    const FeatureInfo& info = rank_feature_table()[term.feature];
    page.item("* ", fmt::format("{}: {}", info.name, info.words));
  }
  std::string same;
  for (const CorrectionTerm& term : correction.terms) {
    if (term.coefficient == 0 && term.from == term.to)
      same += (same.empty() ? "" : ", ") + std::string(rank_feature_table()[term.feature].name);
  }
  if (!same.empty())
    page.item("* ", "the same in all runs, so that ranks with another value are not corrected: " + same);
}

void write_ablation(TextPage& page, const Learned& learned) {
  page.banner("ABLATION: mean error of applications held out");
  Table table({number("error", 9), words("features", 30)});
  table.add({error_cell(learned.model_error), "no correction: the model alone"});
  for (const Ablation& a : learned.ablations) table.add({error_cell(a.error), a.features});
  page.table(table);
  page.paragraph("A: of the program, B: of its ranks on nodes, C: of the nodes in the network");
}

}  // namespace

std::string verdict_of(const Learned& learned) {
  const std::string errors = fmt::format("its mean error on applications held out is {}, the model's {}",
                                         error_words(learned.corrected_error), error_words(learned.model_error));
  if (learned.beats_model) return "the correction beats the analytical model: " + errors;
  return "the correction does not beat the analytical model, and is not used: " + errors +
         "; it must be a tenth smaller, and the interval of 95 % of the difference must not hold 0";
}

std::string learned_text(const Learned& learned, const LearnedFrom& from, const TextOptions& options) {
  TextPage page(options);
  page.banner("LEARNED CORRECTION");
  std::uint64_t ranks = 0;
  for (const HeldOut& a : learned.applications) ranks += a.ranks;
  page.item("machine: ", from.machine);
  page.item("runs: ",
            fmt::format("{} of {} applications, {} ranks", from.runs.size(), learned.applications.size(), ranks));
  if (from.left_out != 0)
    page.item("left out: ", fmt::format("{} ranks without recorded or predicted time in MPI", from.left_out));
  page.item("verdict: ", verdict_of(learned));
  write_held_out(page, learned);
  if (learned.beats_model) write_features(page, learned.correction);
  write_ablation(page, learned);
  return page.take();
}

}  // namespace mora::predict
