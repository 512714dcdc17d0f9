// Fits whose results are known: exact laws, quantiles from the tables, one run that is off.
#include "base/numbers/relative_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mora {
namespace {

FitPoints points(const std::vector<double>& processes, const std::function<double(double)>& law) {
  FitPoints made;
  for (const double p : processes) {
    made.processes.push_back(p);
    made.reciprocals.push_back(1 / law(p));
  }
  return made;
}

const std::vector<Fitter> laws = {[](const FitPoints& p) { return fit_scale(p, [](double x) { return 1 / x; }); },
                                  [](const FitPoints& p) { return fit_line(p, [](double x) { return 1 / x; }); },
                                  [](const FitPoints& p) { return fit_line(p, [](double x) { return x; }); }};

TEST(RelativeFit, StudentsQuantilesFromTheTables) {
  EXPECT_NEAR(student_quantile(0.9, 1), 6.3138, 1e-4);
  EXPECT_NEAR(student_quantile(0.9, 2), 2.9200, 1e-4);
  EXPECT_NEAR(student_quantile(0.95, 4), 2.7764, 1e-4);
  EXPECT_NEAR(student_quantile(0.9, 10), 1.8125, 1e-4);
  EXPECT_NEAR(student_quantile(0.95, 1000), 1.9623, 1e-4);
}

TEST(RelativeFit, AnExactLawIsFoundAndHasNoInterval) {
  const auto chosen = choose_law(points({2, 4, 8}, [](double p) { return 3 + 40 / p; }), laws, {16, 64}, 0.9);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->law, 1U);
  EXPECT_EQ(chosen->leave_one_out, 0);
  EXPECT_NEAR(chosen->fit.a, 3, 1e-9);
  EXPECT_NEAR(chosen->fit.b, 40, 1e-9);
  const LawInterval at = interval_of(chosen->at[1]);
  EXPECT_NEAR(at.value, 3 + 40.0 / 64, 1e-9);
  EXPECT_NEAR(at.lower, at.value, 1e-9);
  EXPECT_NEAR(at.upper, at.value, 1e-9);
}

TEST(RelativeFit, TheIntervalHoldsTheLawThatScattersAndGrowsBeyondTheRuns) {
  const auto noisy = [](double p) { return 40 / p * (p == 4 ? 1.02 : 0.99); };
  const auto chosen = choose_law(points({2, 4, 8, 16}, noisy), laws, {32, 256}, 0.9);
  ASSERT_TRUE(chosen);
  const LawInterval near = interval_of(chosen->at[0]), far = interval_of(chosen->at[1]);
  EXPECT_LT(near.lower, 40.0 / 32);
  EXPECT_GT(near.upper, 40.0 / 32);
  EXPECT_GT(far.upper / far.lower, near.upper / near.lower);
}

TEST(RelativeFit, TooFewRunsAndLawsThatMayNotBeAreNone) {
  const auto law = [](double p) { return 40 / p; };
  EXPECT_FALSE(choose_law(points({2, 4}, law), laws, {8}, 0.9));
  EXPECT_FALSE(choose_law(points({2, 4, 4}, law), laws, {8}, 0.9));
  EXPECT_FALSE(choose_law(points({2, 4, 8}, law), laws, {8}, 0.9, [](const RelativeFit&) { return false; }));
}

}  // namespace
}  // namespace mora
