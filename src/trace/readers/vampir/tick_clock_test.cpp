#include "trace/readers/vampir/tick_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mora::trace::vampir {
namespace {

TEST(TickClock, WholeNanosecondsAreExact) {
  const auto clock = TickClock::make(1e-6);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->time(0), 0);
  EXPECT_EQ(clock->time(-3), -3000);
  // A double of seconds has steps of 119 ns here, and 1e-6 itself is off by 4e-23.
  EXPECT_EQ(clock->time(900000000000001.0), 900000000000001000);
  EXPECT_EQ(clock->time(900000000000002.0), 900000000000002000);
}

TEST(TickClock, WholeFrequenciesAreExact) {
  const auto clock = TickClock::make(1.0 / 75e6);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->time(75e6), 1000000000);
  EXPECT_EQ(clock->time(75e6 * 1e8 + 3), 100000000000000040);
  EXPECT_EQ(clock->time(1), 13);
  EXPECT_EQ(clock->time(2), 27);
  EXPECT_EQ(clock->time(-1), -13);
}

TEST(TickClock, FractionsOfTicksNeverGoBack) {
  const auto clock = TickClock::make(1.0 / 75e6);
  ASSERT_TRUE(clock);
  Nanoseconds last = -1000;
  for (double ticks = -10; ticks < 10; ticks += 1.0 / 64) {
    const auto time = clock->time(ticks);
    ASSERT_TRUE(time);
    EXPECT_GE(*time, last);
    EXPECT_NEAR(static_cast<double>(*time), ticks * 1000 / 75, 0.51);
    last = *time;
  }
}

TEST(TickClock, OddPeriodsAreRounded) {
  const auto clock = TickClock::make(1.23456789e-9 * 3.1);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->time(1000000), 3827160);
}

TEST(TickClock, ImpossibleValuesAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double seconds : {0.0, -1e-6, nan, infinite, 1e-300, 1e300})
    EXPECT_FALSE(TickClock::make(seconds)) << seconds;
  const auto clock = TickClock::make(1.0);
  ASSERT_TRUE(clock);
  for (const double ticks : {nan, infinite, -infinite, 1e300, 1.2e9}) EXPECT_FALSE(clock->time(ticks)) << ticks;
  EXPECT_EQ(clock->time(1.1e9), 1100000000000000000);
}

}  // namespace
}  // namespace mora::trace::vampir
