#include "analysis/core/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace mora::analysis {
namespace {

std::vector<Nanoseconds> random_values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Nanoseconds> values(count);
  for (Nanoseconds& value : values) value = static_cast<Nanoseconds>(random() >> (random() % 63 + 1));
  return values;
}

WaitStatistics statistics_of(const std::vector<Nanoseconds>& values) {
  Distribution all;
  for (const Nanoseconds value : values) all.add(value);
  return all.statistics();
}

/// The k-th quarter by sorting.
Nanoseconds nearest_rank(std::vector<Nanoseconds> values, std::size_t k) {
  std::sort(values.begin(), values.end());
  return values[(values.size() * k + 3) / 4 - 1];
}

TEST(Distribution, FewValuesHaveExactQuartiles) {
  const WaitStatistics s = statistics_of({9'000'000'001, 5, 7'000'003, 1, 3});
  EXPECT_EQ(s.count, 5u);
  EXPECT_EQ(s.sum, 9'007'000'013);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.lower_quartile, 3);
  EXPECT_EQ(s.median, 5);
  EXPECT_EQ(s.upper_quartile, 7'000'003);
  EXPECT_EQ(s.max, 9'000'000'001);
  EXPECT_EQ(statistics_of({4, 2}).median, 2);  // the nearest rank from below
  EXPECT_EQ(statistics_of({}).count, 0u);
}

TEST(Distribution, ManyShortValuesAreExactToo) {
  std::vector<Nanoseconds> values;
  for (Nanoseconds v = 0; v < 4096; ++v) values.push_back((v * 1999) % 4096);
  const WaitStatistics s = statistics_of(values);
  EXPECT_EQ(s.lower_quartile, 1023);
  EXPECT_EQ(s.median, 2047);
  EXPECT_EQ(s.upper_quartile, 3071);
}

TEST(Distribution, QuartilesOfManyAreTooSmallByLessThanA2048th) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::vector<Nanoseconds> values = random_values(65 + 397 * seed, seed);
    for (Nanoseconds& value : values) value >>= 8;  // the sum fits
    const WaitStatistics s = statistics_of(values);
    const Nanoseconds found[] = {s.lower_quartile, s.median, s.upper_quartile};
    for (std::size_t k = 1; k <= 3; ++k) {
      const Nanoseconds exact = nearest_rank(values, k);
      EXPECT_LE(found[k - 1], exact);
      EXPECT_LE(exact - found[k - 1], exact / 2048) << "quarter " << k << " of seed " << seed;
    }
    EXPECT_EQ(s.max, *std::max_element(values.begin(), values.end()));
    EXPECT_EQ(s.min, *std::min_element(values.begin(), values.end()));
  }
}

TEST(Distribution, PartsInAnyOrderGiveTheSame) {
  for (const std::size_t count : {3, 64, 65, 200, 5000}) {
    std::vector<Nanoseconds> values = random_values(count, 7);
    for (Nanoseconds& value : values) value >>= 12;
    const WaitStatistics whole = statistics_of(values);
    for (const std::size_t parts : {2, 3, 70}) {
      std::shuffle(values.begin(), values.end(), std::mt19937(static_cast<unsigned>(parts)));
      std::vector<Distribution> part(parts);
      for (std::size_t i = 0; i < values.size(); ++i) part[i * i % parts].add(values[i]);
      Distribution merged;
      for (const Distribution& one : part) {
        Buffer bytes;
        BufferWriter out(bytes);
        one.pack(out);
        BufferReader in(bytes);
        merged.unpack_and_merge(in);
      }
      EXPECT_EQ(merged.statistics(), whole) << count << " values in " << parts << " parts";
      merged.add(values[0]);  // still usable
      EXPECT_EQ(merged.count(), count + 1);
    }
  }
}

TEST(Distribution, TheLongestTimesHaveABucket) {
  Distribution d;
  for (int i = 0; i < 100; ++i) d.add(i == 99 ? INT64_MAX / 2 : 0);
  EXPECT_EQ(d.statistics().max, INT64_MAX / 2);
  EXPECT_EQ(d.statistics().upper_quartile, 0);
}

}  // namespace
}  // namespace mora::analysis
