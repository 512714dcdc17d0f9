#include "experiment/convert/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "experiment/convert/recorder_notes.h"
#include "journal/profile_record.h"
#include "mpi/function.h"

namespace mora::experiment {

using journal::amounts_of;
using journal::no_amounts;

namespace {

/// What the four numbers of messages mean depends on the function (journal/profile.h).
void set_amounts(ProfileRow& row, unsigned function, const mora_amounts& a) {
  const auto sent = static_cast<std::int64_t>(a.messages_sent);
  const mpi::Function& f = mpi::function(journal::is_of_library(function) ? 0 : function);
  if (journal::is_of_library(function) ? sent != 0 : mpi::is_rma_transfer(f.call)) {
    row.transfers = sent;
    // Of MPI both ends are told, of OpenSHMEM what is put and what is got.
    const bool gets_only = f.rma == mpi::RmaOperation::get;
    const bool is_one_way = mpi::is_rma_transfer(f.call) && mpi::fetching_operation(f) == mpi::RmaOperation::none;
    row.transfer_bytes =
        static_cast<std::int64_t>((gets_only ? 0 : a.bytes_sent) + (is_one_way && !gets_only ? 0 : a.bytes_received));
    return;
  }
  row.bytes_sent = static_cast<std::int64_t>(a.bytes_sent);
  row.bytes_received = static_cast<std::int64_t>(a.bytes_received);
  row.messages_received = static_cast<std::int64_t>(a.messages_received);
  row.messages_sent = sent;
  if (mpi::polls_messages(f)) row.recorded_polls = static_cast<std::int64_t>(a.records);
}

}  // namespace

LocationProfile read_profile(const ThreadInput& thread, std::uint32_t rank, const ClockFit& clock,
                             std::uint64_t known_end, LocationSummary& summary, DataQuality& quality) {
  const journal::Journal& journal = *thread.journal;
  const std::string where =
      thread.number == 0 ? fmt::format("rank {}", rank) : fmt::format("rank {} thread {}", rank, thread.number);
  struct Sums {
    unsigned function = 0;
    mora_amounts amounts = no_amounts();
  };
  std::map<std::uint32_t, Sums> sums;  // by region
  mora_amounts recorder = no_amounts(), off = no_amounts();
  std::uint64_t unknown = 0, last = 0, readings = 0;
  journal::Record r;
  for (auto records = journal.records(); records.next(r);) {
    if (r.function == 0 && r.shape == MORA_SHAPE_PROFILE) {
      const auto amounts = amounts_of(r);
      if (r.site == MORA_PROFILE_READINGS)
        readings += amounts.visits;
      else
        mora_profile_add(r.site == MORA_PROFILE_OFF ? &off : &recorder, &amounts);
    } else if (r.shape == MORA_SHAPE_CORE) {
      ++readings;
    } else if (r.shape == MORA_SHAPE_OVERHEAD) {
      recorder.ticks += r.duration;
    } else if (r.shape == MORA_SHAPE_RECORDING) {
      ++off.visits;
      off.ticks += journal::pair_low(r.payload[0]) != 0 ? r.begin : 0 - r.begin;
    } else if (r.shape == MORA_SHAPE_LOST) {
      summary.lost_calls += r.payload[1];
    } else if (r.shape == MORA_SHAPE_NOTE) {
      const NoteMeaning row = meaning_of_note(journal::pair_low(r.payload[0]), r.payload[1]);
      quality.add(row.kind, row.severity, where, row.count, row.what, row.remedy);
    } else if (r.function != 0) {
      const auto region = thread.code->regions.find(region_key(r.function, r.site));
      const auto amounts = amounts_of(r);
      if (region == thread.code->regions.end() ||
          (r.function > mpi::function_count && !journal::is_of_library(r.function))) {
        unknown += amounts.visits;
        continue;
      }
      Sums& sum = sums[region->second];
      sum.function = r.function;
      mora_profile_add(&sum.amounts, &amounts);
    }
    last = std::max(last, r.end());
  }
  if (unknown != 0)
    quality.add("unknown-function", Severity::loss, where, unknown, "calls of a function this version does not know",
                "convert with the mora that recorded");
  for (const mora_clock_triple& reading : journal.clock()) last = std::max(last, reading.ticks);
  if (off.visits % 2 != 0) off.ticks += last;

  const auto nanoseconds = [&](std::uint64_t ticks) {
    return static_cast<std::int64_t>(std::llround(static_cast<double>(ticks) * clock.ns_per_tick()));
  };
  LocationProfile profile{
      rank, thread.number, 0, nanoseconds(recorder.ticks), nanoseconds(off.ticks), static_cast<std::int64_t>(readings),
      {}};
  for (const auto& [region, sum] : sums) {
    const mora_amounts& a = sum.amounts;
    if (a.visits == 0) continue;  // announced, and did not return
    ProfileRow row;
    row.region = region;
    row.visits = static_cast<std::int64_t>(a.visits);
    row.time = nanoseconds(a.ticks);
    row.shortest = nanoseconds(a.least);
    row.longest = nanoseconds(a.most);
    set_amounts(row, sum.function, a);
    summary.calls += a.visits;
    summary.mpi_ns += static_cast<std::uint64_t>(row.time);
    profile.rows.push_back(row);
  }
  // The header of a thread's journal has the process's begin; its first chunk was opened for its first call.
  const auto first = std::min<std::size_t>(thread.number == 0 ? 0 : 1, journal.clock().size() - 1);
  summary.begin = clock.stamp(journal.clock()[first].ticks);
  summary.end = std::max(clock.stamp(last), journal.ended() ? 0 : known_end);
  summary.recorder_ns = static_cast<std::uint64_t>(profile.recorder);
  summary.ended = journal.ended();
  summary.finalized = journal.finalized();
  profile.wall = static_cast<std::int64_t>(summary.end - summary.begin);
  return profile;
}

}  // namespace mora::experiment
