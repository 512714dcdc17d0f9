// bench_pattern_parse [RANKS [STEPS]]: records per second of `mora pattern parse` from text and from trace.mpt.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "predict/pattern/archive/archive.h"
#include "predict/pattern/parse/parse.h"
#include "predict/pattern/text/text_trace.h"

namespace {

using namespace mora;
using namespace mora::predict;

struct Stopwatch {
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();
  std::clock_t processor = std::clock();
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count(); }
  double processor_seconds() const { return static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC; }
};

void fail_on(bool failed, const char* what) {
  if (!failed) return;
  fmt::print(stderr, "bench_pattern_parse: {}\n", what);
  std::exit(1);
}

void write_traces(const std::string& directory, int ranks, int steps) {
  const int edge = std::max(1, static_cast<int>(std::cbrt(ranks)));
  const int strides[] = {1, edge, edge * edge};
  for (int p = 0; p < ranks; ++p) {
    std::string step, text = fmt::format("{} init 1\n", p);
    for (const int stride : strides) {
      for (const int sign : {1, -1})
        step += fmt::format(
            "{0} Sendrecv(s) {1} {3} (of 8 bytes) 0 on comm MPI_COMM_WORLD\n{0} Sendrecv(r) {2} {3} (of 8 bytes) 0 on "
            "comm MPI_COMM_WORLD\n",
            p, ((p + sign * stride) % ranks + ranks) % ranks, ((p - sign * stride) % ranks + ranks) % ranks,
            1000 * stride);
    }
    for (int i = 1; i <= steps; ++i)
      text += step + fmt::format("{} allReduce 1 (of 8 bytes) of type 0 on comm MPI_COMM_WORLD {}\n", p, i);
    fail_on(
        !write_file_atomically(fmt::format("{}/ti_trace{}.txt", directory, p), text + fmt::format("{} finalize\n", p)),
        "cannot write the traces");
  }
}

void measure(const char* name, const std::string& input, const std::string& output, ParseForm form, unsigned workers) {
  const Stopwatch watch;
  const auto result = parse_pattern(input, output, {.form = form, .workers = workers});
  fail_on(!result, "cannot parse");
  const double wall = watch.seconds(), processor = watch.processor_seconds();
  const auto records = static_cast<double>(result->records_read);
  fmt::print("{:<34} {:6.2f} M records/s ({:6.2f} per second of processor time), {} bytes written\n", name,
             records / wall / 1e6, records / processor / 1e6, result->bytes_written);
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 256, steps = argc > 2 ? std::atoi(argv[2]) : 500;
  const auto base = std::filesystem::temp_directory_path() / fmt::format("mora-bench-parse-{}", std::clock());
  const std::string text = base / "ti_traces", compact = base / "compact";
  std::filesystem::create_directories(text);
  std::filesystem::create_directories(compact);
  write_traces(text, ranks, steps);

  const Stopwatch watch;
  auto trace = read_text_traces(text);
  fail_on(!trace, "cannot read the text traces");
  const double records = static_cast<double>(ranks) * (13.0 * steps + 2);
  fmt::print("{} ranks, {:.2f} M records\n{:<34} {:6.2f} M records/s ({:6.2f} per second of processor time)\n", ranks,
             records / 1e6, "text to pattern trace", records / watch.seconds() / 1e6,
             records / watch.processor_seconds() / 1e6);
  const auto bytes = write_archive(*trace, compact + "/trace.mpt");
  fail_on(!bytes, "cannot write trace.mpt");
  fmt::print("trace.mpt: {} bytes\n", *bytes);
  const std::string output = base / "out";
  measure("text, one thread", text, output, ParseForm::records, 1);
  measure("text, all cores", text, output, ParseForm::records, 0);
  measure("trace.mpt, one thread", compact, output, ParseForm::records, 1);
  measure("trace.mpt, all cores", compact, output, ParseForm::records, 0);
  measure("text, all cores, --loops", text, output, ParseForm::loops, 0);
  measure("text, all cores, --counts", text, output, ParseForm::counts, 0);
  std::filesystem::remove_all(base);
  return 0;
}
