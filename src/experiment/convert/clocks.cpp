#include "experiment/convert/clocks.h"

#include <fmt/format.h>

#include <utility>

namespace mora::experiment {

std::map<std::uint64_t, ClockFit> fit_clocks(const std::vector<RecordedRank>& ranks) {
  struct Readings {
    std::vector<mora_clock_triple> triples;
    const journal::Journal* example = nullptr;
    bool all_ended = true;
  };
  std::map<std::uint64_t, Readings> readings;
  for (const auto& r : ranks) {
    if (!r.journal) continue;
    auto& clock = readings[r.journal->header().clock_id];
    clock.triples.insert(clock.triples.end(), r.journal->clock().begin(), r.journal->clock().end());
    for (const auto& t : r.others)
      clock.triples.insert(clock.triples.end(), t.journal.clock().begin(), t.journal.clock().end());
    clock.example = &*r.journal;
    clock.all_ended = clock.all_ended && r.journal->ended();
  }
  std::map<std::uint64_t, ClockFit> fits;
  for (auto& [id, clock] : readings) {
    const auto written = clock.example->header().clock_kind;  // any number, if the header is damaged
    const auto kind = written == MORA_CLOCK_MONOTONIC ? MORA_CLOCK_MONOTONIC : MORA_CLOCK_TSC;
    auto fit = ClockFit::from(clock.triples, kind);
    if (fit.span_ns() < 10'000'000 || !clock.all_ended)
      if (const auto now = clock_reading_now(clock.example->host(), clock.example->header().clock_kind,
                                             clock.example->clock().front())) {
        clock.triples.push_back(*now);
        fit = ClockFit::from(clock.triples, kind);
      }
    fits.emplace(id, fit);
  }
  return fits;
}

std::vector<archive::ClockOffset> clock_offsets(const RecordedRank& rank, const RecordedRank& zero,
                                                const std::map<std::uint64_t, ClockFit>& fits, DataQuality& quality,
                                                std::size_t number) {
  const auto& fit = fits.at(rank.journal->header().clock_id);
  if (rank.journal->header().clock_id == zero.journal->header().clock_id)
    return {{rank.summary.begin, 0, 0}, {rank.summary.end, 0, 0}};
  const auto& reference = fits.at(zero.journal->header().clock_id);
  std::vector<archive::ClockOffset> out;
  for (const auto& o : rank.offsets) {
    const auto local = fit.stamp(o.ticks);
    const auto there = reference.stamp_of_monotonic(fit.monotonic(o.ticks) + static_cast<std::uint64_t>(o.offset_ns));
    out.push_back({local, static_cast<std::int64_t>(there - local), static_cast<double>(o.round_trip_ns) / 2});
  }
  if (out.size() < 2)
    quality.add("clock-offset-missing", Severity::warning, fmt::format("rank {}", number), 2 - out.size(),
                "clock offsets could not be measured at start and end: drift is not corrected",
                "let the job reach MPI_Finalize");
  if (out.empty()) out.push_back({rank.summary.begin, 0, 0});
  return out;
}

}  // namespace mora::experiment
