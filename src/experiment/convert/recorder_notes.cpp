#include "experiment/convert/recorder_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "journal/format.h"

namespace mora::experiment {

/// By what was lacking (enum mora_no_samples).
static NoteMeaning without_samples(std::uint64_t reason) {
  NoteMeaning row{"no-samples", Severity::info, "", "", 1};
  switch (reason) {
    case MORA_NO_SIGNAL:
      row.what =
          "computation was not sampled, so it is not divided among functions: the program handles all eight real-time "
          "signals that can be taken for it";
      row.remedy =
          "leave one of the signals SIGRTMAX-7 to SIGRTMAX free when MPI_Init is called, or allow perf_event_open";
      break;
    case MORA_NO_TIMER_LEFT:
      row.what =
          "computation was not sampled, so it is not divided among functions: the processes may have no more timers";
      row.remedy = "allow more pending signals, as each timer takes one (ulimit -i), or perf_event_open";
      break;
    case MORA_NO_MEMORY:
      row.what = "computation was not sampled, so it is not divided among functions: there was no memory for it";
      row.remedy = "allow more memory (ulimit -v)";
      break;
    case MORA_NO_TIMER:
      row.what =
          "computation was not sampled, so it is not divided among functions: the system forbids timers "
          "(timer_create)";
      row.remedy = "allow timer_create and timer_settime, or perf_event_open, in the seccomp profile of the container";
      break;
    default:
      row.what = "computation cannot be sampled here, so it is not divided among functions";
      row.remedy = "record on x86-64 with glibc 2.35 or later";
  }
  return row;
}

NoteMeaning meaning_of_note(std::int32_t note, std::uint64_t value) {
  switch (note) {
    case MORA_NOTE_REQUEST_UNKNOWN:
      return {"unknown-request", Severity::warning, "requests were completed whose start was not recorded",
              "keep recording on from MPI_Init on, and leave out no group of MPI functions",
              std::max<std::uint64_t>(value, 1)};
    case MORA_NOTE_SPAWNED:
      return {"spawned-process", Severity::loss, "processes made by MPI_Comm_spawn are not recorded", "", 1};
    case MORA_NOTE_THREADS:
      return {"other-threads", Severity::loss,
              "MPI calls of threads other than the one that called MPI_Init are not recorded",
              "ask MPI_Init_thread for the level that the program uses (MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE), "
              "or take "
              "the numbers as those of this thread",
              value};
    case MORA_NOTE_THREADS_REFUSED:
      return {
          "other-threads", Severity::loss,
          "MPI calls of threads that could not have a journal of their own are not recorded",
          "record with a larger --ring (400 KiB for each thread of each process), or with memory and space for their "
          "files",
          value};
    case MORA_NOTE_MARKS_OUTSIDE:
      return {"marks-outside", Severity::info, "marks before MPI_Init or after MPI_Finalize are not recorded",
              "place marks between MPI_Init and MPI_Finalize", value};
    case MORA_NOTE_MARKS_OF_THREADS:
      return {"marks-of-threads", Severity::warning,
              "marks of threads other than the one that called MPI_Init are not recorded",
              "place marks in the thread that called MPI_Init", value};
    case MORA_NOTE_MARKS_IN_CALLS:
      return {"marks-in-calls", Severity::warning, "marks inside MPI calls are not recorded",
              "place marks outside of MPI calls", value};
    case MORA_NOTE_STACKS:
      return {"call-path-refused", Severity::info,
              "calls with a call site only: there were more different call paths than fit the recorder's table",
              "record with a smaller --stack", value};
    case MORA_NOTE_NO_STACKS:
      return {"no-call-paths", Severity::info, "call paths cannot be recorded here: call sites instead",
              "record on x86-64 with glibc 2.35 or later", 1};
    case MORA_NOTE_COUNTERS_SCALED:
      return {"counters-scaled", Severity::info,
              "counters had to share the processor's registers: what they counted in a part of the time is scaled up "
              "to all of it",
              "ask for fewer --counters at a time", 1};
    case MORA_NOTE_COUNTERS_LOST:
      return {"counters-interrupted", Severity::info,
              "the program closed descriptors of counters, or put files of its own in their place: what was counted "
              "between the reading before and the reading after that is missing",
              "close only descriptors that the program has opened", value};
    case MORA_NOTE_NO_PYTHON:
      return {"no-python-functions", Severity::info,
              "functions of this Python interpreter are not known: call paths and samples say \"python\" for them",
              "use CPython 3.9 to 3.13, and let the import of mpi4py call MPI_Init", 1};
    case MORA_NOTE_FUNCTIONS_OF_THREADS:
      return {"functions-of-threads", Severity::info,
              "functions that other threads than the one that called MPI_Init entered are not recorded", "", value};
    case MORA_NOTE_STACKS_CHECKED:
      return {"call-paths-checked", Severity::info, "call paths were compared with those of another unwinder", "",
              value};
    case MORA_NOTE_STACKS_DIFFERENT:
      return {"call-paths-differ", Severity::warning, "call paths are not those that another unwinder finds",
              "record with --stack off, and report the defect", value};
    case MORA_NOTE_NO_SAMPLES:
      return without_samples(value);
    case MORA_NOTE_SAMPLES_GIVEN_UP:
      return {"samples-given-up", Severity::info,
              "sampling of computation ended when the program set a handler for its signal", "", 1};
    case MORA_NOTE_SAMPLE_PATHS:
      return {"sample-paths-refused", Severity::info,
              "samples whose callers are not known: there were more different call paths than fit the recorder's table",
              "", value};
    case MORA_NOTE_PROFILE_FULL:
      return {
          "profile-full", Severity::warning,
          "calls from more places and call paths than a profile keeps: those of the later ones stand without a place",
          "use --stack off, so that only call sites are told apart, or record a trace", value};
    case MORA_NOTE_FORKED:
      return {"forked", Severity::info, "the process forked; the child is not recorded", "", 1};
    default:
      return {"unknown-note", Severity::info, "notes of a newer recorder", "convert with the mora that recorded", 1};
  }
}

void CoreGaps::note(std::uint64_t stamp, std::uint64_t error) {
  is_open_ = error != 0;
  last_ = stamp;
  if (!is_open_ || count_++ != 0) return;
  first_ = stamp;
  error_ = static_cast<int>(error);
}

static const char* remedy_of(int error) {
  switch (error) {
    case EMFILE:
      return "allow the processes more open files (ulimit -n)";
    case ENFILE:
      return "allow the machine more open files (sysctl fs.file-max)";
    case ENODATA:
      return "record on a kernel that counts it (CONFIG_SCHED_INFO)";
    default:
      return "let the processes read /proc";
  }
}

void CoreGaps::tell(const std::string& where, std::uint64_t start, DataQuality& quality) const {
  if (count_ == 0) return;
  const auto seconds = [&](std::uint64_t stamp) { return static_cast<double>(stamp - std::min(start, stamp)) * 1e-9; };
  const std::string until =
      is_open_ ? "on" : fmt::format("to {:.3f} s{}", seconds(last_), count_ > 1 ? " with breaks" : "");
  NoteMeaning row{"core-not-read", Severity::warning, "", remedy_of(error_), count_};
  if (!is_open_) row.severity = Severity::info;  // what was read later holds the time between
  quality.add(row.kind, row.severity, fmt::format("{}, from {:.3f} s after MPI_Init {}", where, seconds(first_), until),
              row.count,
              fmt::format("whether the thread had a core, its page faults and its switches are not known for a time: "
                          "/proc/thread-self/schedstat could not be read ({})",
                          std::strerror(error_)),
              row.remedy);
}

}  // namespace mora::experiment
