// A record becomes the records that docs/formats/otf2.md lists for its call. Stamps must not decrease on a location:
// what a record says is clamped to the stamp before it (journals are written in order of return, and calls do not nest,
// so that this only touches damaged journals; it is counted).
#include "experiment/convert/location_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/core_counters.h"
#include "experiment/convert/recorder_notes.h"
#include "experiment/convert/translator.h"
#include "experiment/ending/ending.h"
#include "experiment/journals/at_a_time.h"
#include "experiment/journals/tell_behind_cut.h"

namespace mora::experiment {

Translator::Translator(ProcessState& state, const ThreadInput& thread, const JobFacts& job,
                       archive::VectorTable& vectors, DataQuality& quality)
    : state_(state),
      thread_(thread),
      journal_(*thread.journal),
      rank_(state.process.rank),
      clock_(state.process.clock),
      ids_(state.process.ids),
      regions_(thread.code->regions),
      samples_(thread.code->samples),
      marks_(state.process.marks),
      job_(job),
      out_(*thread.out),
      vectors_(vectors),
      quality_(quality),
      where_(thread.number == 0 ? fmt::format("rank {}", rank_)
                                : fmt::format("rank {} thread {}", rank_, thread.number)) {}

void Translator::begin() {
  is_openmpi_ = journal_.header().mpi_flavour == 1;
  // The header's reading is taken when MPI_Init has returned; the program begins where it was entered. Other threads
  // begin with their first call, or with what was read before it.
  Record record;
  auto start = thread_.number == 0 ? journal_.header().start.ticks : UINT64_MAX;
  for (auto first = journal_.records(); first.next(record);) {
    const bool is_call = record.function != 0 || record.shape == MORA_SHAPE_TEAM || record.shape == MORA_SHAPE_SYNC;
    if (is_call || record.shape == MORA_SHAPE_COUNTERS || record.shape == MORA_SHAPE_CORE)
      start = std::min(start, record.begin);
    if (is_call) break;
  }
  if (start == UINT64_MAX) start = journal_.header().start.ticks;
  const BehindCut* cut = state_.process.begin;
  if (cut != nullptr && cut->ticks != 0) start = thread_.number == 0 ? cut->ticks : std::max(start, cut->ticks);
  summary_.begin = last_ = clock_.stamp(start);
  if (thread_.number == 0) out_.program_begin(last_);
  if (cut != nullptr && cut->was_switched) {  // what is behind the cut is behind a gap
    out_.measurement(last_, false);
    out_.measurement(last_, true);
  }
}

LocationSummary Translator::end() {
  flush_pending();
  end_writing();
  const auto until = state_.process.recorded_until;
  const bool is_cut = until != UINT64_MAX && (is_over_ || journal_.budget_end() != 0);
  tell_completed_elsewhere(until);
  if (!is_cut) enter_open_call(journal_.state());
  if (is_cut && thread_.number == 0)
    last_ = std::max(last_, until);
  else if (!is_cut && !journal_.ended() && (thread_.number == 0 || open_))
    last_ = std::max(last_, state_.process.known_end);
  if (open_) {
    out_.leave(last_, open_region_);
    summary_.mpi_ns += last_ - open_enter_;
    ++summary_.open_calls;
  }
  summary_.ended = journal_.ended();
  summary_.finalized = summary_.finalized || journal_.finalized();
  close_all_marks();
  summary_.end = last_;
  if (thread_.number == 0) out_.program_end(last_, summary_.finalized ? 0 : OTF2_UNDEFINED_INT64);
  core_gaps_.tell(where_, clock_.stamp(journal_.header().start.ticks), quality_);
  if (clamped_ != 0)
    quality_.add("clock-backwards", Severity::warning, where_, clamped_,
                 "stamps that went backwards were set to the one before",
                 "the time stamp counter of this machine may not be synchronised: try mora record --clock monotonic");
  return summary_;
}

void Translator::enter_open_call(const mora_state& state) {
  const auto function = static_cast<unsigned>(state.call & 0xffff);
  const auto enter = clock_.stamp(state.begin);
  if (open_ || function == 0 || (function == last_call_ && state.begin == last_begin_)) return;
  const auto it = regions_.find(region_key(function, state.site & site_bits));
  if (it == regions_.end()) return;
  open_ = true;
  open_function_ = function;
  open_region_ = it->second;
  open_enter_ = last_ = std::max(last_, enter);
  ++summary_.calls;
  out_.enter(open_enter_, open_region_);
}

/// What stands before a record (definitions, samples, readings) may have filled the chunk: then the recorder wrote it
/// after the time that the record tells of, and says so before the record.
void Translator::end_writing() {
  if (!writing_) return;
  const auto begin = std::max(last_, clock_.stamp(writing_->first));
  const auto end = std::max(begin, clock_.stamp(writing_->second));
  summary_.recorder_ns += end - begin;
  out_.buffer_flush(last_ = begin, end);
  writing_.reset();
}

/// A row of polls is one record.
static std::uint64_t calls_of(const Record& r) {
  return r.shape == MORA_SHAPE_POLLS ? std::max<std::uint64_t>(r.payload[0], 1) : 1;
}

/// Records that become events, or end something.
static bool becomes_event(unsigned shape) {
  return is_at_a_time(shape) || shape == MORA_SHAPE_END || shape == MORA_SHAPE_CORE;
}

bool Translator::is_beyond_end(const Record& r) {
  const auto until = state_.process.recorded_until;
  if (until == UINT64_MAX) return false;
  if (r.shape == MORA_SHAPE_VECTOR) return is_over_;  // with its call
  if (r.function == 0 && r.shape != MORA_SHAPE_SAMPLE && !becomes_event(r.shape)) return false;
  is_over_ = is_over_ || clock_.stamp(r.end()) > until;
  if (is_over_ && r.function != 0 && !(r.flags & MORA_FLAG_OPEN)) summary_.lost_calls += calls_of(r);
  return is_over_;
}

void Translator::translate(const Record& r) {
  if (is_beyond_end(r)) return;
  if (r.shape == MORA_SHAPE_VECTOR && pending_.waiting) {
    auto& counts = pending_.counts[pair_low(r.payload[0]) & 3];
    counts.insert(counts.end(), r.payload.begin() + 1, r.payload.end());
    return;
  }
  if (r.shape == MORA_SHAPE_OVERHEAD && pending_.waiting) {  // the first of two vectors has filled the chunk
    writing_in_call_ = {writing_in_call_ ? writing_in_call_->first : r.begin, r.end()};
    return;
  }
  flush_pending();
  const bool is_reading = r.shape == MORA_SHAPE_COUNTERS && r.payload.size() < 2 * std::size_t{r.object};
  const bool is_behind = writing_ && (r.begin >= writing_->first || r.shape == MORA_SHAPE_OVERHEAD);
  if (writing_ &&
      (r.function != 0 ? writing_is_due_ || is_behind : (is_reading || becomes_event(r.shape)) && is_behind))
    end_writing();
  writing_is_due_ = r.function != 0;
  if (r.function != 0) {
    call(r);
    return;
  }
  switch (r.shape) {
    case MORA_SHAPE_OVERHEAD:
      end_writing();
      writing_ = {r.begin, r.end()};
      break;
    case MORA_SHAPE_RECORDING:
      out_.measurement(last_ = std::max(last_, clock_.stamp(r.begin)), pair_low(r.payload[0]) != 0);
      break;
    case MORA_SHAPE_LOST:
      summary_.lost_calls += r.payload[1];
      break;
    case MORA_SHAPE_END:
      if (summary_.lost_calls == 0)  // else the time line ends where recording did
        last_ = std::max(last_, clock_.stamp(r.begin));
      break;
    case MORA_SHAPE_NOTE:
      note(r);
      break;
    case MORA_SHAPE_CORE:
      out_.reading(monotone(clock_.stamp(r.begin)), 0, r.payload.first(core_counters.size()));
      break;
    case MORA_SHAPE_COUNTERS:
      counters(r);
      break;
    case MORA_SHAPE_SAMPLE:
      sample(r);
      break;
    case MORA_SHAPE_ERROR:
      error_class_ = pair_low(r.payload[0]);
      break;
    case MORA_SHAPE_FUNCTION_BEGIN:
      begin_function(r);
      break;
    case MORA_SHAPE_FUNCTION_END:
      end_function(r);
      break;
    case MORA_SHAPE_TEAM:
      team(r);
      break;
    case MORA_SHAPE_SYNC:
      sync(r);
      break;
    case MORA_SHAPE_MARK_BEGIN:
      begin_mark(r);
      break;
    case MORA_SHAPE_MARK_END:
      end_mark(r);
      break;
    default:
      break;  // definitions and clocks were read before
  }
}

/// A reading by itself, or of the call whose record comes next.
void Translator::counters(const Record& r) {
  counted_call_.reset();
  counted_at_leave_.clear();
  if (job_.counters.empty() || r.object == 0 || r.payload.size() < r.object) return;
  const auto before = r.payload.first(r.object);
  if (r.payload.size() < 2 * std::size_t{r.object})
    return out_.reading(monotone(clock_.stamp(r.begin)), job_.counters.metric_class(),
                        job_.counters.chosen(before, counted_));
  counted_call_ = r.begin;
  counted_at_enter_.assign(before.begin(), before.end());
  const auto behind = r.payload.subspan(r.object, r.object);
  counted_at_leave_.assign(behind.begin(), behind.end());
}

void Translator::read_at_enter(std::uint64_t begin, std::uint64_t enter) {
  if (counted_call_ == begin)
    out_.reading(enter, job_.counters.metric_class(), job_.counters.chosen(counted_at_enter_, counted_));
  else
    counted_at_leave_.clear();
}

/// Right before the leave, as Score-P does it: what was counted since the enter is the call's.
void Translator::leave_call(std::uint64_t leave, std::uint32_t region) {
  if (!counted_at_leave_.empty())
    out_.reading(leave, job_.counters.metric_class(), job_.counters.chosen(counted_at_leave_, counted_));
  counted_at_leave_.clear();
  out_.leave(leave, region);
}

/// A record may stand for several samples.
void Translator::sample(const Record& r) {
  const auto found = samples_.find({r.site, r.object});
  if (found == samples_.end() || found->second == no_id) return;
  const auto time = monotone(clock_.stamp(r.begin));
  constexpr std::int32_t largest_weight = 4096;  // more than weeks without MPI; else the journal is damaged
  for (auto weight = std::clamp(pair_low(r.payload[0]), 1, largest_weight); weight > 0; --weight)
    out_.sample(time, found->second);
}

void Translator::note(const Record& r) {
  const auto note = pair_low(r.payload[0]);
  const auto value = r.payload[1];
  if (note == MORA_NOTE_NO_FULL_EVENTS) {
    const std::string name(mpi::function(static_cast<unsigned>(value)).name);
    quality_.add("no-full-events", Severity::warning, name.empty() ? "an MPI function" : name, 1,
                 "data-moving calls recorded as enter and leave only: waiting in them is not classified", "");
    return;
  }
  if (note == MORA_NOTE_NO_CORE) {
    core_gaps_.note(clock_.stamp(r.begin), value);
    return;
  }
  const NoteMeaning row = meaning_of_note(note, value);
  quality_.add(row.kind, row.severity, where_, row.count, row.what, row.remedy);
}

void Translator::call(const Record& r) {
  const auto region = region_of(r);
  if (region == no_id || (r.function > mpi::function_count && !journal::is_of_library(r.function))) {
    count("unknown-function", Severity::loss, "calls of a function this version does not know",
          "convert with the mora that recorded");
    return;
  }
  const mpi::Function& f = mpi::function(r.function);
  const std::uint64_t calls = calls_of(r);
  summary_.calls += calls;
  last_call_ = r.function;
  last_begin_ = r.begin;
  if (r.flags & MORA_FLAG_FAILED) {
    const auto error = error_class_name(is_openmpi_, error_class_);
    quality_.add("failed-call", Severity::info,
                 fmt::format("{}, {}, {}", where_, call_words(job_.definitions.regions[region]), error), 1,
                 "MPI calls returned an error code", "check the return codes of these calls");
  }
  if (open_ && open_function_ == r.function && !(r.flags & MORA_FLAG_OPEN)) {  // the call announced before has returned
    const auto leave = monotone(clock_.stamp(r.end()));
    leave_call(leave, open_region_);
    summary_.mpi_ns += leave - open_enter_;
    if (f.id == mpi::FunctionId::finalize || journal::is_of_library(r.function))
      summary_.finalized = true;  // shmem_finalize
    open_ = false;
    --summary_.calls;
    return;
  }
  if (!completed_elsewhere_.empty()) tell_completed_elsewhere(clock_.stamp(r.begin));
  const auto enter = monotone(clock_.stamp(r.begin));
  if (counted_call_) read_at_enter(r.begin, enter);
  if (f.id == mpi::FunctionId::pcontrol)
    out_.enter(enter, region, static_cast<std::int32_t>(r.object));
  else if (r.shape == MORA_SHAPE_POLLS)
    out_.enter(enter, region, static_cast<std::int32_t>(std::min<std::uint64_t>(calls, INT32_MAX)));
  else
    out_.enter(enter, region);
  if (r.flags & MORA_FLAG_OPEN) {
    open_ = true;
    open_function_ = r.function;
    open_region_ = region;
    open_enter_ = enter;
    return;
  }
  const auto leave = std::max(enter, clock_.stamp(r.end()));
  if (r.shape == MORA_SHAPE_COLLECTIVE && f.shape != mpi::CollectiveShape::none) {
    const bool blocking = f.form == mpi::Form::blocking;
    const bool can = blocking || (r.payload.size() > 3 && !(r.flags & MORA_FLAG_FAILED));
    if (const auto comm = can ? communicator(r.object) : no_id; comm != no_id)
      return collective(r, f, comm, region, enter, leave);
  }
  if (!journal::is_of_library(r.function)) {
    body(r, f, enter, leave);
  } else if (library_of(r) != MORA_LIBRARY_SHMEM) {
    --summary_.calls;  // no communication
    library_call(r, enter, leave);
    return leave_call(last_ = leave, region);
  } else {
    library_call(r, enter, leave);
  }
  leave_call(last_ = leave, region);
  summary_.mpi_ns += leave - enter;
}

void Translator::collective(const Record& r, const mpi::Function& f, std::uint32_t comm, std::uint32_t region,
                            std::uint64_t enter, std::uint64_t leave) {
  const auto& p = r.payload;
  pending_.waiting = true;
  pending_.form = f.form;
  pending_.neighborhood = mpi::is_neighborhood(f.collective);
  pending_.enter = enter;
  pending_.leave = leave;
  pending_.region = region;
  pending_.request = p.size() > 3 ? p[3] : 0;
  pending_.collective = {archive::collective_operation(f.collective), comm, pair_low(p[0]), p[1], p[2], {}};
  for (auto& counts : pending_.counts) counts.clear();
}

void Translator::flush_pending() {
  if (!pending_.waiting) return;
  pending_.waiting = false;
  auto& p = pending_;
  auto& k = p.collective;
  std::vector<std::uint64_t> all;
  if (p.neighborhood) {  // docs/formats/otf2.md, "vectors.<rank>"
    for (const auto& edges : {p.counts[2], p.counts[3]}) {
      all.push_back(edges.size() / 2);
      all.insert(all.end(), edges.begin(), edges.end());
    }
  } else {
    all = p.counts[0];
    all.insert(all.end(), p.counts[1].begin(), p.counts[1].end());
  }
  k.attributes.neighborhood = p.neighborhood;
  if (!all.empty()) k.attributes.vector_plus_1 = vectors_.intern(std::move(all)) + 1;
  switch (p.form) {
    case mpi::Form::blocking:
      out_.collective_begin(p.enter);
      out_.collective_end(p.leave, k.op, k.communicator, root_of(k.root), k.sent, k.received, k.attributes);
      break;
    case mpi::Form::starts:
      out_.collective_request(p.enter, p.request);
      collectives_[p.request] = k;
      break;
    default:  // persistent: each start begins one
      state_.persistent[p.request] = k;
      break;
  }
  leave_call(last_ = p.leave, p.region);
  summary_.mpi_ns += p.leave - p.enter;
  if (!writing_in_call_) return;
  end_writing();
  writing_ = std::exchange(writing_in_call_, std::nullopt);
  writing_is_due_ = false;
}

void Translator::body(const Record& r, const mpi::Function& f, std::uint64_t enter, std::uint64_t leave) {
  const auto& p = r.payload;
  const bool no_peer = (r.flags & (MORA_FLAG_NO_PEER | MORA_FLAG_FAILED)) != 0;
  auto tag = [](std::uint64_t word) { return static_cast<std::uint32_t>(pair_high(word)); };
  switch (r.shape) {
    case MORA_SHAPE_SEND:
      if (!no_peer)
        if (const auto c = communicator(r.object); c != no_id)
          out_.send(enter, peer(pair_low(p[0])), c, tag(p[0]), p[1]);
      break;
    case MORA_SHAPE_RECV:
      if (!no_peer)
        if (const auto c = communicator(r.object); c != no_id) {
          if (p.size() > 2 && p[2] != 0 && !is_from_elsewhere(p[2]))
            out_.receive_complete(leave, peer(pair_low(p[0])), c, tag(p[0]), p[1], p[2]);
          else
            out_.receive(leave, peer(pair_low(p[0])), c, tag(p[0]), p[1]);
        }
      break;
    case MORA_SHAPE_ISEND:
      if (!no_peer)
        if (const auto c = communicator(r.object); c != no_id)
          out_.send_request(enter, peer(pair_low(p[0])), c, tag(p[0]), p[1], p[2]);
      break;
    case MORA_SHAPE_IRECV:
      if (!no_peer && !(r.flags & MORA_FLAG_UNSUCCESSFUL) && !ends_elsewhere(p[2])) out_.receive_request(enter, p[2]);
      break;
    case MORA_SHAPE_SENDRECV:
      if (const auto c = (r.flags & MORA_FLAG_FAILED) ? no_id : communicator(r.object); c != no_id) {
        if (pair_low(p[0]) >= 0) out_.send(enter, peer(pair_low(p[0])), c, tag(p[0]), p[1]);
        if (pair_low(p[2]) >= 0) out_.receive(leave, peer(pair_low(p[2])), c, tag(p[2]), p[3]);
      }
      break;
    case MORA_SHAPE_COMPLETE:
      completions(r, leave);
      break;
    case MORA_SHAPE_START:
      starts(r, enter);
      break;
    case MORA_SHAPE_RMA:
      if (!no_peer) transfer(r, f, enter);
      break;
    case MORA_SHAPE_WIN_COLLECTIVE:
      if (!(r.flags & MORA_FLAG_FAILED)) window_collective(r, f, enter, leave);
      break;
    case MORA_SHAPE_WIN_GROUP:
      group_sync(r, f, leave);
      break;
    case MORA_SHAPE_WIN_LOCK:
      if (!no_peer) lock(r, f, leave);
      break;
    case MORA_SHAPE_WIN_FLUSH:
      if (!no_peer) flush_window(r, f, leave);
      break;
    case MORA_SHAPE_CALL:
      if (f.call == mpi::CallClass::file && f.by_all && !(r.flags & MORA_FLAG_FAILED)) file_change(r, f, leave);
      break;
    case MORA_SHAPE_IO:
      if (!(r.flags & MORA_FLAG_FAILED)) file_operation(r, f, enter, leave);
      break;
    default:
      break;
  }
}

std::vector<LocationSummary> write_process(const ProcessInput& process, const JobFacts& job,
                                           archive::VectorTable& vectors, DataQuality& quality) {
  ProcessState state{process};
  std::vector<Translator> locations;
  std::vector<const journal::Journal*> journals;
  locations.reserve(process.threads.size());
  for (const ThreadInput& thread : process.threads) {
    Translator& location = locations.emplace_back(state, thread, job, vectors, quality);
    state.threads[thread.number] = &location;
    location.begin();
    journals.push_back(thread.journal);
  }
  ProcessRecords records(journals);
  Record record;
  const BehindCut everything;
  TellBehindCut tell(process.begin == nullptr ? everything : *process.begin);
  for (std::size_t which = 0; records.next(which, record);)
    if (tell.take(which, record)) locations[which].translate(record);
  std::vector<LocationSummary> summaries;
  for (Translator& location : locations) summaries.push_back(location.end());
  summaries.front().cut_messages = tell.messages();
  if (process.handed.size() > 0)
    quality.add(
        "handed-request", Severity::info, fmt::format("rank {}", process.rank), process.handed.size(),
        "requests were completed by another thread than the one that began them: receives count as posted where "
        "they are complete; how long the completion of sends and collectives was waited for is not known",
        "complete requests in the thread that begins them, where this matters");
  return summaries;
}

}  // namespace mora::experiment
