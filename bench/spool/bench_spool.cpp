// bench_spool [EVENTS]: events per second of processor time through TraceBuilder and SpooledSource, in memory and
// through the temporary file, and of the Paraver reader.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "trace/readers/building/trace_builder.h"
#include "trace/readers/paraver/paraver_source.h"

namespace {

using namespace mora;
using namespace mora::trace;

constexpr std::uint32_t ranks = 64;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Count : public EventSink {
 public:
  std::uint64_t events = 0;
  void on_event(const Event&) override { ++events; }
};

std::uint64_t count(Source& source) {
  Count all;
  for (LocationId l = 0; l < source.definitions().locations.size(); ++l) {
    if (!source.read_location(l, all)) std::abort();
  }
  return all.events;
}

void build(std::uint64_t events, std::size_t budget, const char* name) {
  const double start = seconds();
  TraceBuilder builder("bench", {.budget = budget, .directory = {}});
  const RegionId send = builder.region("MPI_Send"), receive = builder.region("MPI_Recv");
  for (std::uint32_t r = 0; r < ranks; ++r) builder.location(r);
  Event e;
  e.comm = builder.world();
  e.bytes = 64;
  for (std::uint64_t i = 0; i < events / 3; ++i) {
    const auto location = static_cast<LocationId>(i % ranks);
    const auto time = static_cast<Nanoseconds>(i * 10);
    const bool first = location % 2 == 0;
    builder.enter(location, time, first ? send : receive);
    e.kind = first ? EventKind::send : EventKind::receive;
    e.peer = location ^ 1U;
    e.time = time + 5;
    builder.append(location, e);
    builder.leave(location, time + 9, first ? send : receive);
  }
  auto source = builder.finish();
  if (!source) std::abort();
  const double built = seconds();
  const std::uint64_t n = count(**source);
  const double read = seconds();
  fmt::print("{:<22} build {:6.1f} M/s  read {:6.1f} M/s  together {:5.1f} M/s  on disk {} MiB\n", name,
             static_cast<double>(n) / (built - start) / 1e6, static_cast<double>(n) / (read - built) / 1e6,
             static_cast<double>(n) / (read - start) / 1e6, (*source)->spool().bytes_on_disk() >> 20);
}

void paraver(std::uint64_t events) {
  std::string text = fmt::format("#Paraver (d):0_ns:1({0}):1:{0}(", ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) text += r == 0 ? "1:1" : ",1:1";
  text += ")\n";
  for (std::uint64_t i = 0; i < events / 6; ++i) {
    const std::uint64_t a = 1 + 2 * (i % (ranks / 2)), b = a + 1, t = 1000000 + i * 10;
    text += fmt::format("2:{0}:1:{0}:1:{2}:50000001:1\n2:{1}:1:{1}:1:{2}:50000001:2\n", a, b, t);
    text += fmt::format("3:{0}:1:{0}:1:{2}:{3}:{1}:1:{1}:1:{2}:{4}:64:1\n", a, b, t, t + 5, t + 9);
    text += fmt::format("2:{0}:1:{0}:1:{2}:50000001:0\n2:{1}:1:{1}:1:{3}:50000001:0\n", a, b, t + 5, t + 9);
  }
  const double start = seconds();
  auto source = read_paraver(text, {}, {}, "bench.prv");
  if (!source) std::abort();
  const std::uint64_t n = count(**source);
  const double done = seconds();
  fmt::print("{:<22} {:.1f} M events/s, {:.0f} MB/s of text\n", "Paraver",
             static_cast<double>(n) / (done - start) / 1e6, static_cast<double>(text.size()) / (done - start) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 6000000;
  build(events, std::size_t{8} << 30, "in memory");
  build(events, std::size_t{1} << 20, "through the file");
  paraver(events);
  return 0;
}
