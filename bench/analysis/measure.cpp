/// Analyses an archive once and prints: events, seconds (wall, processor), bytes at the peak above the start. Usage:
/// analysis_bench PATH [WORKERS [MEBIBYTES [waits] [ideal]]] - `read` in place of WORKERS only reads the
/// events; MEBIBYTES bounds memory (0: not); with `waits` no causes are looked for; with `ideal` the ideal network is
/// replayed, too.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "analysis/analyze.h"
#include "trace/readers/open_trace.h"

namespace {

/// VmHWM or VmRSS of this process in bytes.
long memory(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != field) continue;
    long kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

/// Of this process and of the children that read foreign archives first (readers/otf2/probe.h).
double processor_seconds() {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return sum;
}

class Counter : public mora::trace::EventSink {
 public:
  void on_event(const mora::trace::Event&) override { ++events; }
  std::uint64_t events = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string mode = argc > 2 ? argv[2] : "1";
  auto source = mora::trace::open_trace(argv[1]);
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().text().c_str());
    return 3;
  }
  const long before = memory("VmRSS:");
  const double processor = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t events = 0;
  if (mode == "read") {
    Counter counter;
    for (std::uint32_t l = 0; l < (*source)->definitions().locations.size(); ++l) {
      if (!(*source)->read_location(l, counter)) return 3;
    }
    events = counter.events;
  } else {
    mora::analysis::AnalyzeOptions options;
    options.workers = static_cast<unsigned>(std::strtoul(mode.c_str(), nullptr, 10));
    if (argc > 3) options.memory = std::strtoull(argv[3], nullptr, 10) << 20;
    options.ideal_network = false;
    for (int word = 4; word < argc; ++word) {
      if (std::string(argv[word]) == "waits") options.causes = false;
      if (std::string(argv[word]) == "ideal") options.ideal_network = true;
    }
    const auto result = mora::analysis::analyze(**source, argv[1], options);
    if (!result) {
      std::fprintf(stderr, "%s\n", result.error().text().c_str());
      return 3;
    }
    events = result->run.events;
    for (const auto& row : result->quality.rows()) {
      std::fprintf(stderr, "quality: %s %s %llu\n", row.kind.c_str(), row.where.c_str(),
                   static_cast<unsigned long long>(row.count));
    }
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%llu %.4f %.4f %ld\n", static_cast<unsigned long long>(events), wall, processor_seconds() - processor,
              memory("VmHWM:") - before);
  return 0;
}
