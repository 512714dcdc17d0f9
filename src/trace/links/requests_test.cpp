#include <gtest/gtest.h>

#include <map>

#include "trace/links/completions.h"
#include "trace/links/request_map.h"

namespace mora::trace {
namespace {

TEST(RequestMap, BehavesLikeAMapUnderInsertionAndRemoval) {
  RequestMap mine;
  std::map<std::uint64_t, std::uint32_t> wanted;
  std::uint64_t seed = 1;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t number = (seed >> 33) % 97 * ((seed >> 20) % 2 == 0 ? 1 : 0x100000000ULL);
    if ((seed >> 50) % 2 == 0) {
      mine.set(number, i);
      wanted[number] = i;
    } else {
      const auto found = wanted.find(number);
      ASSERT_EQ(mine.take(number), found == wanted.end() ? RequestMap::none : found->second);
      if (found != wanted.end()) wanted.erase(found);
    }
    ASSERT_EQ(mine.size(), wanted.size());
  }
}

Event record(EventKind kind, std::uint64_t request, std::uint32_t peer = no_id) {
  Event e;
  e.kind = kind;
  e.request = request;
  e.peer = peer;
  return e;
}

TEST(Completions, TellStartsApartThatHaveOneNumber) {
  Completions completions;
  for (const Event& e :
       {record(EventKind::receive_request, 7), record(EventKind::receive_complete, 7, 1),
        record(EventKind::send_request, 7), record(EventKind::send_complete, 7), record(EventKind::receive_request, 7),
        record(EventKind::collective_request, 7), record(EventKind::receive_complete, 7, 2),
        record(EventKind::receive_request, 7), record(EventKind::receive_request, 7),
        record(EventKind::receive_complete, 7, 3), record(EventKind::receive_complete, 7, 4)})
    completions.on_event(e);
  ASSERT_NE(completions.of(0), nullptr);
  EXPECT_EQ(completions.of(0)->peer, 1U);
  EXPECT_EQ(completions.of(1), nullptr);  // a send says nothing when it is complete
  ASSERT_NE(completions.of(2), nullptr);
  EXPECT_EQ(completions.of(2)->peer, 2U);
  EXPECT_EQ(completions.of(3), nullptr);  // a collective that was never complete
  EXPECT_EQ(completions.of(4), nullptr);  // its number was taken over
  ASSERT_NE(completions.of(5), nullptr);
  EXPECT_EQ(completions.of(5)->peer, 3U);
}

}  // namespace
}  // namespace mora::trace
