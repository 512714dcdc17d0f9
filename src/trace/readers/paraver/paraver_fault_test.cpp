// Every flipped bit and every cut of the sample, its labels and its node names: may be refused, must break no promise
// of source.h.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/trace/paraver_samples.h"
#include "trace/readers/paraver/paraver_source.h"

namespace mora::trace {
namespace {

/// Counts what breaks a promise.
class Promises : public EventSink {
 public:
  explicit Promises(const Definitions& definitions) : d_(definitions) {}
  void on_event(const Event& e) override {
    if (e.time < last_) ++broken;
    last_ = e.time;
    check(e.region, d_.regions.size());
    check(e.comm, d_.communicators.size());
    if (e.kind == EventKind::metric) check(e.vector, d_.metrics.size());
    if (e.kind == EventKind::user) {
      check(e.vector, d_.user_types.size());
      if (e.request >= d_.strings.size()) ++broken;
    }
    if (e.peer != no_id && e.peer >= d_.world_size) ++broken;
    if (e.root != no_id && e.root >= d_.world_size) ++broken;
    if (e.kind == EventKind::enter) open_.push_back(e.region);
    if (e.kind == EventKind::leave) {
      if (open_.empty() || open_.back() != e.region) {
        ++broken;
      } else {
        open_.pop_back();
      }
    }
  }
  int end() const { return broken + static_cast<int>(open_.size()); }

 private:
  void check(std::uint32_t id, std::size_t count) {
    if (id != no_id && id >= count) ++broken;
  }
  const Definitions& d_;
  std::vector<RegionId> open_;
  Nanoseconds last_ = 0;
  int broken = 0;
};

/// True if it was accepted.
bool keeps_promises(std::string_view prv, std::string_view pcf, std::string_view row) {
  const auto source = read_paraver(prv, pcf, row, "x.prv");
  if (!source) {
    EXPECT_FALSE(source.error().why.empty());
    return false;
  }
  for (LocationId l = 0; l < (*source)->definitions().locations.size(); ++l) {
    Promises promises((*source)->definitions());
    EXPECT_TRUE((*source)->read_location(l, promises).has_value());
    EXPECT_EQ(promises.end(), 0);
  }
  return true;
}

using Texts = std::array<std::string, 3>;

const Texts whole = {paraver::sample_prv, paraver::sample_pcf, paraver::sample_row};

class ParaverFault : public testing::TestWithParam<std::size_t> {};

TEST_P(ParaverFault, EveryCut) {
  std::size_t accepted = 0;
  for (std::size_t size = 0; size < whole[GetParam()].size(); ++size) {
    Texts cut = whole;
    cut[GetParam()].resize(size);
    accepted += keeps_promises(cut[0], cut[1], cut[2]) ? 1 : 0;
    ASSERT_FALSE(HasFailure()) << "cut to " << size;
  }
  EXPECT_GT(accepted, whole[GetParam()].size() / 2);  // all but those within the header
}

TEST_P(ParaverFault, EveryFlippedBit) {
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < whole[GetParam()].size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      Texts flipped = whole;
      flipped[GetParam()][at] = static_cast<char>(flipped[GetParam()][at] ^ (1 << bit));
      accepted += keeps_promises(flipped[0], flipped[1], flipped[2]) ? 1 : 0;
      ASSERT_FALSE(HasFailure()) << "byte " << at << " bit " << bit;
    }
  }
  EXPECT_GT(accepted, whole[GetParam()].size() * 4);
}

INSTANTIATE_TEST_SUITE_P(Files, ParaverFault, testing::Values(0, 1, 2));

}  // namespace
}  // namespace mora::trace
