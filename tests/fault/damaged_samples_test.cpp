/// Every cut and every change of a byte of small samples of ALOG, VAMPIR and CSV: the readers end with a trace that
/// keeps the promises of source.h, or with an error.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "trace/readers/alog/alog_source.h"
#include "trace/readers/template/csv_source.h"
#include "trace/readers/vampir/vampir_source.h"
#include "trace/view/view.h"

namespace mora::trace {
namespace {

using Read = Result<std::unique_ptr<Source>> (*)(std::string_view, const std::string&);

class Promised : public EventSink {
 public:
  explicit Promised(const Definitions& definitions) : d_(definitions) {}
  void on_event(const Event& e) override {
    sound_ = sound_ && e.time >= last_ && (e.region == no_id || e.region < d_.regions.size()) &&
             (e.comm == no_id || e.comm < d_.communicators.size()) && (e.peer == no_id || e.peer < d_.world_size);
    last_ = e.time;
    if (e.kind == EventKind::enter) open_.push_back(e.region);
    if (e.kind != EventKind::leave) return;
    sound_ = sound_ && !open_.empty() && open_.back() == e.region;
    if (!open_.empty()) open_.pop_back();
  }
  bool kept() const { return sound_ && open_.empty(); }

 private:
  const Definitions& d_;
  std::vector<RegionId> open_;
  Nanoseconds last_ = INT64_MIN;
  bool sound_ = true;
};

/// True if the content was read.
bool sound(Read read, const std::string& content, const std::string& what) {
  const auto source = read(content, "sample");
  if (!source) {
    EXPECT_FALSE(source.error().why.empty()) << what;
    return false;
  }
  const Definitions& d = (*source)->definitions();
  for (LocationId l = 0; l < d.locations.size(); ++l) {
    Promised stream(d);
    EXPECT_TRUE((*source)->read_location(l, stream)) << what;
    EXPECT_TRUE(stream.kept()) << what << ", location " << l;
  }
  return true;
}

void damage_everywhere(Read read, const std::string& sample) {
  ASSERT_TRUE(sound(read, sample, "the whole"));
  for (std::size_t cut = 0; cut < sample.size(); ++cut) {
    const std::string what = "cut at " + std::to_string(cut);
    const auto source = read(sample.substr(0, cut), "sample");
    if (!source) continue;
    const auto view = View::make(**source, RmaModel::extended);
    EXPECT_TRUE(view.has_value()) << what;
    sound(read, sample.substr(0, cut), what);
  }
  for (std::size_t at = 0; at < sample.size(); ++at) {
    for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string changed = sample;
      changed[at] = static_cast<char>(changed[at] ^ change);
      sound(read, changed, "byte " + std::to_string(at) + " ^ " + std::to_string(change));
    }
  }
}

std::string sample_file(const std::string& name) { return *read_file(MORA_SAMPLES "/" + name); }

constexpr const char* alog_sample =
    "-3 0 0 3 0 0\n-9 0 0 5 0 0 start\n-11 0 0 0 0 4294967295\n-13 0 1 2 0 0 green:boxes MPI_Send\n-15 2 0 0 0 0 "
    "Server\n"
    "5 0 0 4 0 2025436865\n1 0 0 0 0 2025437342\n-101 0 0 2 0 2025437350 193 100\n2 0 0 0 0 2025438566\n"
    "-102 2 0 0 0 2025439400 193 100\n1 1 0 0 2 5\n";

TEST(DamagedSamples, Alog) { damage_everywhere(read_alog, alog_sample); }
TEST(DamagedSamples, Vampir) { damage_everywhere(read_vampir, sample_file("v-12.bpv")); }
TEST(DamagedSamples, VampirLateDefinitions) { damage_everywhere(read_vampir, sample_file("definitions-late.bpv")); }
TEST(DamagedSamples, Csv) {
  damage_everywhere(
      read_csv_trace,
      "time,node,type,name,tag,bytes\n0.001,0,enter,solve,,\n0.002,0,send,1,7,1024\n0.003,1,recv,0,7,1024\n"
      "0.004,0,exit,solve,,\n");
}

/// A count in a header reserves no memory: how many processes are accepted grows with the file.
TEST(HostileSizes, AreNotBelieved) {
  for (const char* header : {"-3 0 0 4000000000 0 0\n", "-3 0 0 9223372036854775807 0 0\n", "-3 0 0 -1 0 0\n"}) {
    const auto source = read_alog(std::string(header) + "-13 0 1 2 0 0 A\n1 1 0 0 0 1\n", "sample");
    ASSERT_TRUE(source);
    EXPECT_EQ((*source)->definitions().locations.size(), 2U) << header;
  }
  std::string vampir = sample_file("v-12.bpv");
  const std::string two_groups_of_one("\x02\0\0\0\x01\0\0\0\x01\0\0\0", 12);
  const auto at = vampir.find(two_groups_of_one);
  ASSERT_NE(at, std::string::npos);
  for (std::size_t i = 4; i < 12; ++i) vampir[at + i] = i % 4 == 3 ? '\x7f' : '\xff';
  const auto source = read_vampir(vampir, "sample");
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->definitions().locations.size(), 2U);
}

/// Quadratic work would show here: 200,000 returns in vain under a stack of 20,000 regions, and as many communicators
/// as fit into a file, each said to have all processes.
TEST(HostileSizes, CostIsLinear) {
  const auto put = [](std::string& out, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  };
  std::string trace("\x55\xAA\xA5\x5A\x42PVI", 8);
  const auto exchange = [&](std::uint32_t number, int type) {
    put(trace, 33, 4), put(trace, 70, 2), put(trace, 0, 8), put(trace, 0, 12), put(trace, 1, 4), put(trace, number, 4);
    put(trace, 0, 4), put(trace, static_cast<std::uint64_t>(type), 1);
  };
  for (std::uint32_t i = 0; i < 20000; ++i) exchange(i % 50, 1);
  for (std::uint32_t i = 0; i < 100000; ++i) exchange(7777, 2), exchange(i % 50, 1);
  for (std::uint32_t i = 0; i < 100000; ++i) {
    put(trace, 24, 4), put(trace, 250, 2), put(trace, i + 1, 4), put(trace, 4096, 4), put(trace, 1, 4);
    put(trace, 0, 4), put(trace, 4095, 4), put(trace, 1, 4);
  }
  put(trace, 8, 4), put(trace, 40, 2), put(trace, 1, 4), put(trace, 4096, 4);
  const auto source = read_vampir(trace, "sample");
  ASSERT_TRUE(source);
  std::size_t members = 0;
  for (const Communicator& c : (*source)->definitions().communicators) members += c.members.size();
  EXPECT_LE(members, (std::size_t{1} << 23) + 2 * trace.size());
}

}  // namespace
}  // namespace mora::trace
