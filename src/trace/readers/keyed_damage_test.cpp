// Every byte of the small Pajé and Chrome samples changed, every sample cut at every length: a result or an error,
// never a broken promise of source.h, and never silence where events are missing.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "support/fault_stride.h"
#include "trace/readers/chrome/chrome_source.h"
#include "trace/readers/paje/paje_source.h"

namespace mora::trace {
namespace {

class CheckedSink : public EventSink {
 public:
  explicit CheckedSink(const Definitions& definitions) : d_(definitions) {}
  std::uint64_t events = 0;
  void on_event(const Event& e) override {
    ++events;
    if (e.time < last_) ADD_FAILURE() << "the time goes back";
    last_ = e.time;
    if (e.kind == EventKind::enter) open_.push_back(e.region);
    if (e.region != no_id && e.region >= d_.regions.size()) ADD_FAILURE() << "undefined region";
    if (e.comm != no_id && e.comm >= d_.communicators.size()) ADD_FAILURE() << "undefined communicator";
    if (e.kind == EventKind::metric && e.vector >= d_.metrics.size()) ADD_FAILURE() << "undefined metric";
    if (e.kind == EventKind::user && (e.vector >= d_.user_types.size() || e.request >= d_.strings.size()))
      ADD_FAILURE() << "undefined user type";
    if (e.kind != EventKind::leave) return;
    if (open_.empty() || open_.back() != e.region) ADD_FAILURE() << "a leave without its enter";
    if (!open_.empty()) open_.pop_back();
  }
  void done() const { EXPECT_TRUE(open_.empty()); }

 private:
  const Definitions& d_;
  std::vector<RegionId> open_;
  Nanoseconds last_ = INT64_MIN;
};

struct Outcome {
  bool opened = false;
  std::uint64_t events = 0;
  bool reported = false;
};

using Reader = Result<std::unique_ptr<Source>> (*)(std::string_view, const std::string&);

Outcome read_all(Reader reader, const std::string& content) {
  Outcome outcome;
  auto source = reader(content, "sample");
  if (!source) {
    EXPECT_FALSE(source.error().why.empty());
    EXPECT_EQ(source.error().where, "sample");
    return outcome;
  }
  outcome.opened = true;
  for (LocationId l = 0; l < (*source)->definitions().locations.size(); ++l) {
    CheckedSink sink((*source)->definitions());
    EXPECT_TRUE((*source)->read_location(l, sink));
    sink.done();
    outcome.events += sink.events;
  }
  outcome.reported = !(*source)->quality().empty();
  return outcome;
}

struct Format {
  const char* name;
  Reader reader;
};

class KeyedDamage : public testing::TestWithParam<Format> {
 protected:
  template <class Function>
  void each_sample(Function function) const {
    int samples = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(MORA_SAMPLES) + "/" + GetParam().name)) {
      if (!entry.path().filename().string().starts_with("valid-")) continue;
      SCOPED_TRACE(entry.path().string());
      ++samples;
      function(read_file(entry.path().string()).value());
      if (HasFailure()) return;
    }
    EXPECT_GE(samples, 2);
  }
};

TEST_P(KeyedDamage, ChangedBytes) {
  each_sample([&](const std::string& good) {
    for (std::size_t i = 0; i < good.size(); i += fault_stride()) {
      for (const int flip : {0xFF, 0x01, 0x10}) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ flip);
        SCOPED_TRACE("byte " + std::to_string(i));
        read_all(GetParam().reader, bad);
        if (HasFailure()) return;
      }
    }
  });
}

TEST_P(KeyedDamage, Cuts) {
  each_sample([&](const std::string& good) {
    ASSERT_TRUE(read_all(GetParam().reader, good).opened);
    for (std::size_t length = 0; length < good.size(); length += fault_stride()) {
      SCOPED_TRACE("length " + std::to_string(length));
      read_all(GetParam().reader, good.substr(0, length));
      if (HasFailure()) return;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, KeyedDamage,
                         testing::Values(Format{"paje", read_paje}, Format{"chrome", read_chrome}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace mora::trace
