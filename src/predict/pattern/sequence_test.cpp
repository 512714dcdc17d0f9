#include "predict/pattern/sequence.h"

#include <gtest/gtest.h>

#include <random>

namespace mora::predict {
namespace {

std::vector<std::uint32_t> unfold(const Sequence& s) {
  std::vector<std::uint32_t> out;
  auto cursor = s.cursor();
  for (std::uint32_t v; cursor.next(v);) out.push_back(v);
  return out;
}

Sequence fold(const std::vector<std::uint32_t>& values, std::uint32_t window = 1024) {
  SequenceBuilder builder(window);
  for (const auto v : values) builder.push(v);
  return builder.finish();
}

std::size_t nodes(const Sequence& s) {
  std::size_t n = s.items.size();
  for (const auto& l : s.loops) n += l.body.size();
  return n;
}

TEST(Sequence, EmptyHasNothing) {
  const auto s = fold({});
  EXPECT_TRUE(s.empty());
  EXPECT_EQ(s.size(), 0u);
  EXPECT_TRUE(unfold(s).empty());
}

TEST(Sequence, OneNumberManyTimesIsOneItem) {
  const auto s = fold(std::vector<std::uint32_t>(100000, 7));
  EXPECT_EQ(s.items, (std::vector<Sequence::Item>{{7, false, 100000}}));
  EXPECT_EQ(s.size(), 100000u);
}

TEST(Sequence, NestedLoopsFold) {
  std::vector<std::uint32_t> v{100};
  for (int step = 0; step < 50; ++step) {
    for (int inner = 0; inner < 3; ++inner) v.insert(v.end(), {1, 2, 2, 3});
    v.push_back(4);
  }
  v.push_back(101);
  const auto s = fold(v);
  EXPECT_EQ(unfold(s), v);
  EXPECT_EQ(s.size(), v.size());
  EXPECT_LT(nodes(s), 20u);
}

TEST(Sequence, LongBodyOfFewNumbersFolds) {
  // A body in which one number is everywhere: the rare one shows the period.
  std::vector<std::uint32_t> body, v;
  for (std::uint32_t i = 0; i < 200; ++i) body.insert(body.end(), {1, i % 7 + 10});
  body.push_back(99);
  for (int i = 0; i < 40; ++i) v.insert(v.end(), body.begin(), body.end());
  const auto s = fold(v);
  EXPECT_EQ(unfold(s), v);
  EXPECT_LT(nodes(s), 2 * body.size() + 20);
}

TEST(Sequence, WindowLimitsBodiesNotContents) {
  std::vector<std::uint32_t> v;
  for (int i = 0; i < 10; ++i)
    for (std::uint32_t k = 0; k < 50; ++k) v.push_back(k);
  EXPECT_GE(fold(v, 10).items.size(), 500u);
  EXPECT_EQ(unfold(fold(v, 10)), v);
  EXPECT_EQ(fold(v, 64).items.size(), 1u);
}

TEST(Sequence, RandomProgramsComeBackExactly) {
  std::mt19937 random(20261121);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint32_t> v;
    const auto alphabet = 1 + random() % 5;
    for (int piece = 0; piece < 6; ++piece) {
      std::vector<std::uint32_t> body(1 + random() % 6);
      for (auto& b : body) b = static_cast<std::uint32_t>(random() % alphabet);
      const auto times = 1 + random() % 9;
      for (unsigned t = 0; t < times; ++t) {
        v.insert(v.end(), body.begin(), body.end());
        if (random() % 10 == 0) v.push_back(static_cast<std::uint32_t>(random() % alphabet));
      }
    }
    const auto s = fold(v);
    ASSERT_EQ(unfold(s), v) << "round " << round;
    ASSERT_EQ(s.size(), v.size());
    for (std::size_t l = 0; l < s.loops.size(); ++l)
      for (const auto& item : s.loops[l].body) ASSERT_TRUE(!item.is_loop || item.index < l);
  }
}

}  // namespace
}  // namespace mora::predict
