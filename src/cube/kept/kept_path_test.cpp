#include "cube/kept/kept_path.h"

#include <gtest/gtest.h>

namespace mora::cube {
namespace {

std::vector<PathPiece> pieces_of(std::size_t count) {
  std::vector<PathPiece> pieces;
  Nanoseconds now = -7;
  for (std::size_t i = 0; i < count; ++i) {
    const Nanoseconds length = i % 5 == 0 ? 0 : static_cast<Nanoseconds>(i * 977 % 100'000);
    pieces.push_back({static_cast<LocationId>(i * 31 % 4096), now, now + length});
    now += length;
  }
  return pieces;
}

KeptPath kept(const std::vector<PathPiece>& pieces) {
  KeptPath path;
  for (const PathPiece& piece : pieces) path.add(piece);
  return path;
}

std::vector<PathPiece> all_of(const KeptPath& path, Nanoseconds from = INT64_MIN, Nanoseconds until = INT64_MAX) {
  std::vector<PathPiece> all;
  path.each(from, until, [&](const PathPiece& piece) { all.push_back(piece); });
  return all;
}

bool same(const PathPiece& a, const PathPiece& b) {
  return a.location == b.location && a.from == b.from && a.to == b.to;
}

TEST(KeptPath, GivesBackWhatItKeepsInAnyStretch) {
  const auto pieces = pieces_of(5000);
  const auto read = KeptPath::read(kept(pieces).file_text("findings"), "file", "findings");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->size(), pieces.size());
  const auto all = all_of(*read);
  ASSERT_EQ(all.size(), pieces.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(same(all[i], pieces[i])) << i;
  for (const std::size_t first : {0U, 1U, 1023U, 1024U, 2500U, 4990U}) {
    const Nanoseconds from = pieces[first].from + 1, until = pieces[first + 8].to;
    std::vector<PathPiece> expected;
    for (const PathPiece& piece : pieces) {
      if (piece.to > from && piece.from < until) expected.push_back(piece);
    }
    const auto part = all_of(*read, from, until);
    ASSERT_EQ(part.size(), expected.size()) << first;
    for (std::size_t i = 0; i < part.size(); ++i) EXPECT_TRUE(same(part[i], expected[i])) << first << ' ' << i;
  }
}

TEST(KeptPath, TakesFewBytes) { EXPECT_LT(kept(pieces_of(100'000)).bytes(), 600'000U); }

TEST(KeptPath, OfNothingIsEmpty) {
  const auto read = KeptPath::read(KeptPath().file_text(""), "file", "");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->size(), 0U);
  EXPECT_TRUE(all_of(*read).empty());
}

TEST(KeptPath, RefusesWhatIsNotItsOwn) {
  const std::string text = kept(pieces_of(300)).file_text("findings");
  const auto why = [](const std::string& of, const char* findings) {
    const auto read = KeptPath::read(of, "file", findings);
    return read ? std::string() : read.error().why;
  };
  EXPECT_EQ(why(text, "findings"), "");
  EXPECT_EQ(why(text, "other findings"), "it belongs to an older or newer findings.json");
  EXPECT_EQ(why("{}", "findings"), "it is no such file of Mora");
  EXPECT_EQ(why(text.substr(0, 20), "findings"), "it is cut");
  std::string later = text;
  later[8] = 2;
  EXPECT_EQ(why(later, "findings"), "it is of another version of Mora");
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    EXPECT_NE(why(flipped, "findings"), "") << i;
    EXPECT_NE(why(text.substr(0, i), "findings"), "") << i;
  }
}

}  // namespace
}  // namespace mora::cube
