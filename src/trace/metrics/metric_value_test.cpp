#include "trace/metrics/metric_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mora::trace {
namespace {

constexpr std::uint64_t beyond = (std::uint64_t{1} << 53) + 1;  // the first that a double rounds

TEST(MetricValue, WholeNumbersKeepAllDigits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t n = random() >> random() % 64;
    const auto text = std::to_string(n);
    ASSERT_EQ(read_metric_value(text)->text(), text);
    ASSERT_EQ(*read_metric_value(text), metric_value(n));
    const auto whole = static_cast<std::int64_t>(n);
    ASSERT_EQ(metric_value(whole).text(), std::to_string(whole));
    ASSERT_EQ(*read_metric_value(std::to_string(whole)), metric_value(whole));
  }
}

TEST(MetricValue, EqualNumbersAreTheSameValue) {
  EXPECT_EQ(metric_value(std::int64_t{7}), metric_value(7.0));
  EXPECT_EQ(metric_value(std::uint64_t{7}), metric_value(7.0));
  EXPECT_EQ(metric_value(beyond - 1), metric_value(0x1p53));
  EXPECT_EQ(metric_value(UINT64_MAX).type, ValueType::natural);
  EXPECT_EQ(metric_value(INT64_MIN), metric_value(-0x1p63));
  EXPECT_EQ(metric_value(static_cast<std::int64_t>(beyond)), metric_value(beyond));
}

TEST(MetricValue, OtherNumbersAreDoubles) {
  for (const char* text : {"0.1", "-1.5", "1e+300", "1e-300", "inf", "-inf"})
    EXPECT_EQ(read_metric_value(text)->text(), text);
  EXPECT_TRUE(std::isnan(read_metric_value("nan")->number()));
  EXPECT_EQ(read_metric_value("1.5e9")->text(), "1500000000");
  EXPECT_EQ(read_metric_value("18446744073709551616")->number(), 0x1p64);
  for (const char* text : {"", "x", "1x", " 1", "0x1"}) EXPECT_FALSE(read_metric_value(text)) << text;
}

TEST(MetricValue, WhatIsGainedIsExact) {
  EXPECT_EQ(gained(metric_value(beyond - 1), metric_value(beyond)), 1);
  EXPECT_EQ(gained(metric_value(UINT64_MAX - 1), metric_value(UINT64_MAX)), 1);
  EXPECT_EQ(gained(metric_value(INT64_MIN + 1), metric_value(UINT64_MAX)), 0x1.8p64);
  EXPECT_EQ(gained(metric_value(0.5), metric_value(2.0)), 1.5);
  EXPECT_TRUE(std::isnan(gained(metric_value(std::nan("")), metric_value(beyond))));
}

TEST(MetricValue, ADifferenceOfDoublesIsThatOfTheirWholeNumbers) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const auto one = static_cast<double>(random() >> random() % 64),
               other = static_cast<double>(random() >> random() % 64);
    const auto exact = static_cast<MetricValue::Wide>(other) - static_cast<MetricValue::Wide>(one);
    ASSERT_EQ(gained(metric_value(one), metric_value(other)), static_cast<double>(exact));
  }
}

TEST(MetricValue, LevelsChangeExactly) {
  EXPECT_EQ(changed(metric_value(beyond - 1), metric_value(1.0), 1), metric_value(beyond));
  EXPECT_EQ(changed(metric_value(UINT64_MAX), metric_value(1.0), -1), metric_value(UINT64_MAX - 1));
  EXPECT_EQ(changed(metric_value(1.0), metric_value(beyond), -1).text(), "-9007199254740992");
  EXPECT_EQ(changed(metric_value(UINT64_MAX), metric_value(UINT64_MAX), 1).number(), 0x1p65);
  EXPECT_EQ(changed(metric_value(1.5), metric_value(0.25), -1), metric_value(1.25));
}

}  // namespace
}  // namespace mora::trace
