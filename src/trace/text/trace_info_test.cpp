#include "trace/text/trace_info.h"

#include <gtest/gtest.h>

#include "trace/memory_source.h"

namespace mora::trace {
namespace {

/// Its events cannot be read; how many there are is known.
class OnlyDefinitions : public MemorySource {
 public:
  explicit OnlyDefinitions(std::uint64_t events) : events_(events) { defs.locations.resize(2); }
  Result<void> read_location(LocationId, EventSink&) override {
    return fail(ErrorKind::unreadable, "cannot read", "", "it must not be read");
  }
  std::uint64_t event_count_hint(LocationId location) const override { return location == 0 ? events_ : 0; }
  Nanoseconds duration_hint() const override { return 500; }

 private:
  std::uint64_t events_;
};

TEST(TraceInfo, OfManyEventsOnlyTheDefinitionsAreAsked) {
  EXPECT_TRUE(counts_quickly(OnlyDefinitions(0)));  // not known
  EXPECT_TRUE(counts_quickly(OnlyDefinitions(1'000'000)));
  EXPECT_FALSE(counts_quickly(OnlyDefinitions(1'000'001)));
  const TraceInfo info = promised_info(OnlyDefinitions(1'000'001));
  EXPECT_FALSE(info.is_counted);
  EXPECT_EQ(info.events, 1'000'001U);
  EXPECT_EQ(info.measured.length(), 500);
}

}  // namespace
}  // namespace mora::trace
