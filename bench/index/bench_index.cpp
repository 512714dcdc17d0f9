// bench_index write DIR EVENTS RANKS: a synthetic archive: every rank sends to its right neighbour, receives from its
// left one, and every tenth round is a barrier.
// bench_index build DIR INDEX: opens it, makes the index, prints events/s and peak memory.
// bench_index open DIR INDEX: opens the kept index; times of opening, random events, states, columns.
#include <fmt/format.h>
#include <otf2/otf2.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "archive/archive_writer.h"
#include "trace/readers/otf2/otf2_source.h"
#include "trace/view/view.h"

namespace {

using namespace mora;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

bool write_archive(const std::string& directory, std::uint64_t events, std::uint32_t ranks) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  auto writer = archive::ArchiveWriter::create(directory, {"bench", "machine", ""});
  if (!writer) return false;
  const std::uint64_t rounds = events / ranks * 10 / 64;  // 10 rounds of a rank: 64 records
  std::uint64_t last = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    auto l = (*writer)->open_location(rank);
    if (!l) return false;
    std::mt19937 noise(rank);
    l->program_begin(1000);
    for (std::uint64_t i = 0; i < rounds; ++i) {  // a round takes 1000 ns; a message at least 300
      const std::uint64_t t = 1000 + i * 1000 + noise() % 100;
      l->enter(t, 0);
      l->send(t, (rank + 1) % ranks, 0, 1, 64);
      l->leave(t + 100, 0);
      l->enter(t + 200, 1);
      l->receive(t + 400 + noise() % 50, (rank + ranks - 1) % ranks, 0, 1, 64);
      l->leave(t + 450, 1);
      if (i % 10 == 9) {
        l->enter(t + 460, 2);
        l->collective_begin(t + 460);
        l->collective_end(t + 600, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32, 0, 0, {});
        l->leave(t + 600, 2);
      }
    }
    last = std::max(last, 2000 + rounds * 1000);
    l->program_end(last, 0);
    if (!(*writer)->close_location(*l, {{1000, 0, 0}})) return false;
  }
  archive::Definitions d;
  d.first_stamp = 1000;
  d.last_stamp = last;
  d.nodes = {"host"};
  d.processes.assign(ranks, {0, {}});
  d.regions = {{"MPI_Send", "b.c", 1, ""}, {"MPI_Recv", "b.c", 2, ""}, {"MPI_Barrier", "b.c", 3, ""}};
  std::vector<std::uint32_t> all(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) all[r] = r;
  d.groups = {all};
  d.communicators = {{"MPI_COMM_WORLD", 0, archive::no_id, archive::no_id}};
  return (*writer)->close(d).has_value();
}

std::unique_ptr<trace::Source> open(const std::string& directory) {
  trace::Otf2Options options;
  options.trust = true;
  auto source = trace::open_otf2(directory + "/traces.otf2", options);
  if (!source) {
    fmt::print(stderr, "{}\n", source.error().text());
    std::exit(3);
  }
  return std::move(*source);
}

trace::ViewOptions options(const std::string& index) {
  trace::ViewOptions o;
  o.index_file = index;
  o.fingerprint = 1;
  o.keep_from = 0;
  return o;
}

int build(const std::string& directory, const std::string& index) {
  std::filesystem::remove(index);
  const auto begin = Clock::now();
  const auto source = open(directory);
  const auto view = trace::View::make(*source, options(index));
  if (!view) {
    fmt::print(stderr, "{}\n", view.error().text());
    return 3;
  }
  const double s = seconds_since(begin);
  const auto n = static_cast<double>((*view)->size());
  fmt::print("built: {:.1f} M events, {:.2f} s, {:.2f} M events/s, {:.1f} bytes per event, peak {:.0f} MiB\n", n / 1e6,
             s, n / s / 1e6, static_cast<double>((*view)->index_bytes()) / n, peak_mib());
  for (const auto& row : (*view)->quality().rows()) fmt::print("! {} {}\n", row.kind, row.count);
  return 0;
}

template <class F>
void latency(const char* name, std::size_t count, F&& one) {
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = Clock::now();
    one();
    times.push_back(seconds_since(begin) * 1e6);
  }
  std::sort(times.begin(), times.end());
  fmt::print("{:<24} median {:.2f} us, 99 % {:.2f} us\n", name, times[count / 2], times[count * 99 / 100]);
}

int reopen(const std::string& directory, const std::string& index) {
  const auto begin = Clock::now();
  const auto source = open(directory);
  const double opened = seconds_since(begin);
  const auto made = trace::View::make(*source, options(index));
  if (!made) return 3;
  const trace::View& view = **made;
  fmt::print("opened: {:.1f} ms (archive {:.1f} ms), {}, peak {:.0f} MiB\n", seconds_since(begin) * 1e3, opened * 1e3,
             view.reopened() ? "from the index" : "BUILT", peak_mib());
  std::mt19937_64 random(7);
  std::uint64_t sum = 0;
  const auto any = [&] { return random() % view.size() + 1; };
  latency("event, first visits", 20000, [&] { sum += view.event(any()).bytes; });
  latency("event, random", 200000, [&] { sum += view.event(any()).bytes; });
  latency("stack, random", 20000, [&] { sum += view.stack(0, any()).size(); });
  latency("queue, random", 20000, [&] { sum += view.queue(any()).size(); });
  auto start = Clock::now();
  const auto& columns = view.columns();
  fmt::print("checked whole: {:.2f} s\n", seconds_since(start));
  start = Clock::now();
  for (std::uint64_t i = 0; i < columns.size; ++i) sum += static_cast<std::uint64_t>(columns.time[i]);
  fmt::print("column: {:.0f} M values/s\n", static_cast<double>(columns.size) / seconds_since(start) / 1e6);
  start = Clock::now();
  for (trace::Position p = 1; p <= view.size(); ++p) sum += view.event(p).bytes;
  fmt::print("all events decoded: {:.1f} M events/s (sum {})\n",
             static_cast<double>(view.size()) / seconds_since(start) / 1e6, sum % 10);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "write" && argc == 5)
    return write_archive(argv[2], std::strtoull(argv[3], nullptr, 10),
                         static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)))
               ? 0
               : 3;
  if (what == "build" && argc == 4) return build(argv[2], argv[3]);
  if (what == "open" && argc == 4) return reopen(argv[2], argv[3]);
  fmt::print(stderr, "bench_index write DIR EVENTS RANKS | build DIR INDEX | open DIR INDEX\n");
  return 2;
}
