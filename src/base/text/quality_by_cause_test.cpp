#include "base/text/quality_by_cause.h"

#include <gtest/gtest.h>

namespace mora {
namespace {

TEST(QualityByCause, JoinsPlacesAndSaysWhatLostEventsMean) {
  const auto rows = by_cause({{"a", Severity::warning, "rank 0", 2, "late", "x"},
                              {"a", Severity::warning, "rank 1", 1, "late", "x"},
                              {"a", Severity::warning, "rank 2", 1, "later", "x"},
                              {"rank-missing", Severity::loss, "rank 3", 1, "no journal", ""},
                              {"rank-missing", Severity::loss, "rank 4", 1, "no journal", ""}});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].where, "rank 0, rank 1");
  EXPECT_EQ(rows[0].count, 3u);
  EXPECT_EQ(rows[2].what, "no journal; severities of these 2 places and their partners are lower bounds");
}

TEST(QualityByCause, SaysWhatDamageMeansForTheNumbers) {
  const auto said = [](const char* kind, Severity severity, const char* what) {
    return by_cause({{kind, severity, "rank 0", 1, what, ""}}).at(0).what;
  };
  EXPECT_EQ(said("unmatched-send", Severity::warning, "messages"), "messages; no waiting is computed there");
  EXPECT_EQ(said("stray-leave", Severity::warning, "leaves"), "leaves; times of regions near them are not exact");
  EXPECT_EQ(said("truncated-trace", Severity::loss, "it is cut"), "it is cut; times and waiting are lower bounds");
  EXPECT_EQ(said("truncated-trace", Severity::info, "it is short"), "it is short");
  EXPECT_EQ(said("unopened-epoch", Severity::warning, "x; no waiting was computed"), "x; no waiting was computed");
}

}  // namespace
}  // namespace mora
