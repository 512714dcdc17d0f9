/// One journal's records become one location's events; the parts are in location_events.cpp (the stream, collectives),
/// location_requests.cpp (what completes later), location_windows.cpp (one-sided communication), location_marks.cpp and
/// location_teams.cpp (OpenMP and POSIX threads).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/mpi_meaning.h"
#include "experiment/convert/location_events.h"
#include "experiment/convert/recorder_notes.h"
#include "experiment/journals/process_records.h"
#include "mpi/function.h"

namespace mora::experiment {

using archive::no_id;
using journal::pair_high;
using journal::pair_low;
using journal::Record;

/// Ranks of peers as OTF2 has them.
inline std::uint32_t peer(std::int32_t rank) { return static_cast<std::uint32_t>(rank); }

inline std::uint32_t root_of(std::int32_t root) {
  if (root >= 0) return static_cast<std::uint32_t>(root);
  if (root == -3) return OTF2_COLLECTIVE_ROOT_SELF;
  if (root == -2) return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
  return OTF2_COLLECTIVE_ROOT_NONE;
}

/// One process's part of a collective operation.
struct CollectivePart {
  OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_BARRIER;
  std::uint32_t communicator = 0;
  std::int32_t root = 0;
  std::uint64_t sent = 0, received = 0;
  archive::Attributes attributes;
};

class Translator;

/// A team of threads that works.
struct OpenTeam {
  std::uint32_t parallel = 0, end = 0;    ///< regions: its parallel region, the barrier at the end of that
  std::int32_t number = 0;                ///< told where another team works at that time
  std::vector<Translator*> members = {};  ///< whose part has begun
};

/// What the locations of a process have in common while they are written.
struct ProcessState {
  const ProcessInput& process;
  std::unordered_map<std::uint32_t, Translator*> threads = {};  ///< by number
  /// Persistent collectives, by the number that their MPI_…_init gave.
  std::unordered_map<std::uint64_t, CollectivePart> persistent = {};
  std::unordered_map<std::uint64_t, OpenTeam> teams = {};  ///< by number
  std::int32_t teams_told = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> locks = {};  ///< of threads, by address: numbers from 0
};

class Translator {
 public:
  /// All references outlive it.
  Translator(ProcessState& state, const ThreadInput& thread, const JobFacts& job, archive::VectorTable& vectors,
             DataQuality& quality);

  /// Before the first record, once.
  void begin();
  void translate(const Record& r);
  /// Another thread has completed a request that this one began and that is no message, at a stamp that is not smaller
  /// than those given before.
  void completed_elsewhere(std::uint64_t request, std::uint64_t bytes, std::uint64_t stamp) {
    completed_elsewhere_.push_back({request, bytes, stamp});
  }
  /// After the last one.
  LocationSummary end();

 private:
  using Collective = CollectivePart;
  struct Pending {  ///< a collective waits for the vectors behind it
    bool waiting = false;
    mpi::Form form = mpi::Form::blocking;
    bool neighborhood = false;
    std::uint64_t enter = 0, leave = 0;
    std::uint32_t region = 0;
    std::uint64_t request = 0;  ///< of those that do not block
    Collective collective;
    std::vector<std::uint64_t> counts[4];  ///< sent, received, destinations, sources
  };
  struct Transfer {
    std::uint64_t id;
    std::int32_t target;
  };
  struct OpenMark {
    const Mark* mark;  ///< nullptr: a function of the program
    std::int32_t argument;
    std::uint32_t region;
  };
  struct WindowTransfer {
    std::uint32_t window;
    std::uint64_t id;
  };

  std::uint64_t monotone(std::uint64_t stamp) {
    if (stamp >= last_) return last_ = stamp;
    ++clamped_;
    return last_;
  }
  void count(const char* kind, Severity severity, const char* what, const char* remedy = "") {
    quality_.add(kind, severity, where_, 1, what, remedy);
  }
  void end_writing();
  /// Of the end of recording that all processes have in common; counts the calls.
  bool is_beyond_end(const Record& r);
  /// The call that the process was in when it ended, if no record tells of it.
  void enter_open_call(const mora_state& state);
  void call(const Record& r);
  void body(const Record& r, const mpi::Function& f, std::uint64_t enter, std::uint64_t leave);
  void completions(const Record& r, std::uint64_t leave);
  void starts(const Record& r, std::uint64_t enter);
  /// Another thread began it.
  bool is_from_elsewhere(std::uint64_t request) const { return thread_of_request(request) != thread_.number; }
  /// Another thread completes it.
  bool ends_elsewhere(std::uint64_t request) const { return state_.process.handed.contains(request); }
  /// What other threads have completed by then: between calls, as no call of this thread waited for it.
  void tell_completed_elsewhere(std::uint64_t until);
  /// A request that is no message (collective, transfer, file operation) is complete.
  void other_completion(std::uint64_t request, std::uint64_t bytes, std::uint64_t leave);
  void forget_request(std::uint64_t request);
  void collective(const Record& r, const mpi::Function& f, std::uint32_t comm, std::uint32_t region,
                  std::uint64_t enter, std::uint64_t leave);
  void file_operation(const Record& r, const mpi::Function& f, std::uint64_t enter, std::uint64_t leave);
  void file_change(const Record& r, const mpi::Function& f, std::uint64_t leave);
  void flush_window(const Record& r, const mpi::Function& f, std::uint64_t leave);
  void set_range(const Record& r, std::uint32_t win, archive::Attributes& attributes) const;
  void transfer(const Record& r, const mpi::Function& f, std::uint64_t enter);
  void window_collective(const Record& r, const mpi::Function& f, std::uint64_t enter, std::uint64_t leave);
  void group_sync(const Record& r, const mpi::Function& f, std::uint64_t leave);
  void lock(const Record& r, const mpi::Function& f, std::uint64_t leave);
  /// Of another library than MPI: what its records say, between Enter and Leave.
  void library_call(const Record& r, std::uint64_t enter, std::uint64_t leave);
  void thread_lock(const Record& r, std::uint64_t enter, std::uint64_t leave);
  void shmem_transfer(const Record& r, const std::string& name, std::uint64_t enter, std::uint64_t leave);
  void shmem_collective(const Record& r, const std::string& name, std::uint64_t enter, std::uint64_t leave);
  void complete_transfers(std::uint32_t window, std::int32_t target, std::uint64_t leave, bool remote);
  void flush_pending();
  void begin_mark(const Record& r);
  void end_mark(const Record& r);
  void begin_function(const Record& r);
  void end_function(const Record& r);
  void close_mark(std::uint64_t leave);  ///< the innermost
  void close_marks_above(const OpenMark& open, std::uint64_t leave);
  void close_all_marks();
  void count(const char* kind, Severity severity, const Mark& mark, const char* what, const char* remedy) {
    quality_.add(kind, severity, where_ + ", " + mark.place(), 1, what, remedy);
  }
  int library_of(const Record& r) const {
    const auto named = thread_.code->functions.find(r.function);
    return named == thread_.code->functions.end() ? 0 : named->second.library;
  }
  std::uint32_t number_of_lock(std::uint64_t address);
  void team(const Record& r);
  std::int32_t number_of_team();
  void leave_ended_team(std::uint64_t time);
  void sync(const Record& r);
  void enter_construct(std::uint64_t time, std::uint32_t region, std::int32_t team = 0);
  void leave_construct(std::uint64_t time, std::uint32_t region);  ///< if it was entered
  std::uint32_t give_up(std::int32_t kind);                        ///< the region of what was taken last
  void sample(const Record& r);
  void counters(const Record& r);
  void read_at_enter(std::uint64_t begin, std::uint64_t enter);
  void leave_call(std::uint64_t leave, std::uint32_t region);
  void note(const Record& r);
  std::uint32_t region_of(unsigned function, std::uint64_t site) const {
    const auto it = regions_.find(region_key(function, site));
    return it == regions_.end() ? no_id : it->second;
  }
  std::uint32_t region_of(const Record& r) const { return region_of(r.function, r.site); }
  /// Communicator of the record; counts those without a definition.
  std::uint32_t communicator(std::uint32_t local) {
    const auto id = ids_.communicator(local);
    if (id == no_id)
      count("unknown-communicator", Severity::loss,
            "messages or collectives on a communicator that was not recorded: their calls are enter and leave only",
            "keep recording on from MPI_Init on");
    return id;
  }
  std::uint32_t window(const Record& r) {
    const auto id = ids_.window(r.object).global;
    if (id == no_id)
      count("unknown-window", Severity::loss,
            "one-sided operations on a window that was not recorded: their calls are enter and leave only",
            "keep recording on from MPI_Init on");
    return id;
  }

  ProcessState& state_;
  const ThreadInput& thread_;
  const journal::Journal& journal_;
  const std::uint32_t rank_;
  const ClockFit& clock_;
  const IdMap& ids_;
  const std::unordered_map<std::uint64_t, std::uint32_t>& regions_;
  const std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t>& samples_;
  const MarkTable& marks_;
  const JobFacts job_;
  archive::LocationWriter& out_;
  archive::VectorTable& vectors_;
  DataQuality& quality_;
  std::string where_;
  CoreGaps core_gaps_;
  std::uint64_t last_ = 0;
  std::uint64_t clamped_ = 0;
  bool is_over_ = false;  ///< a record was beyond the common end: all that follow are
  std::optional<std::pair<std::uint64_t, std::uint64_t>> writing_;          ///< of the recorder, ticks: not told yet
  std::optional<std::pair<std::uint64_t, std::uint64_t>> writing_in_call_;  ///< between the records of the pending call
  bool writing_is_due_ = false;                                             ///< the call before has returned
  Pending pending_;
  std::vector<OpenMark> open_marks_;
  std::uint64_t ended_ = 0;                                   ///< team whose end the thread reached last
  std::set<std::uint64_t> mutexes_;                           ///< that the thread holds, as far as that was recorded
  std::vector<std::pair<std::int32_t, std::uint32_t>> held_;  ///< enum mora_sync and region of what has not ended
  /// Begin of the call whose record comes next, if it has readings of counters, and these; room for chosen ones.
  std::optional<std::uint64_t> counted_call_;
  std::vector<std::uint64_t> counted_at_enter_, counted_at_leave_, counted_;
  bool open_ = false;  ///< a call was entered and has not returned yet
  unsigned open_function_ = 0;
  int error_class_ = 0;  ///< of the next call that failed
  bool is_openmpi_ = true;
  unsigned last_call_ = 0;  ///< function and begin of the last record
  std::uint64_t last_begin_ = 0;
  std::uint32_t open_region_ = 0;
  std::uint64_t open_enter_ = 0;
  std::unordered_map<std::uint32_t, std::vector<Transfer>> transfers_;  ///< by window, not yet complete
  // Requests by number, until they complete.
  std::unordered_map<std::uint64_t, Collective> collectives_;
  std::unordered_map<std::uint64_t, WindowTransfer> requested_transfers_;
  std::unordered_map<std::uint64_t, std::uint32_t> files_;
  struct CompletedElsewhere {
    std::uint64_t request, bytes, stamp;
  };
  std::vector<CompletedElsewhere> completed_elsewhere_;  ///< not told yet
  LocationSummary summary_;
};

}  // namespace mora::experiment
