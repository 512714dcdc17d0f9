// Each rank's file is read by itself, with tables of its own (calls.h); then, in rank order, the tables are
// unified and the numbers in the different calls replaced. The result depends on neither the order of the directory nor
// the number of threads. Cost: linear in the text; memory follows the different calls. Rule `text-traces-of-others`
// (docs/rules.md).
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "base/worker_pool.h"
#include "predict/pattern/text/calls.h"
#include "predict/pattern/text/files.h"
#include "predict/pattern/text/text_trace.h"

namespace mora::predict {
namespace {

Result<TextRank> read_rank(const TextTraceFile& file, std::uint32_t world_size, TextDamage& damage) {
  constexpr std::size_t part = std::size_t{1} << 18, named = 5;
  TextLines lines(file, static_cast<std::size_t>(std::min<std::uint64_t>(part, file.size + 1)));
  TextRankBuilder builder(file.rank, world_size);
  TextRecord record;
  Error error;
  std::string_view line;
  for (;;) {
    MORA_TRY(const bool more, lines.next(line));
    if (!more) break;
    bool good = parse_text_record(line, record, error);
    if (good && !builder.add(record)) {
      good = false;
      error = Error{ErrorKind::unreadable,
                    {},
                    "column 1",
                    "expected counts and sizes whose product is a number of bytes, and min <= median <= max",
                    {}};
    }
    if (good) {
      damage.foreign += record.sender >= 0 && record.sender != file.rank ? 1 : 0;
    } else if (++damage.lines <= named) {
      damage.first.push_back(text_place(file, lines.number(), error));
    }
  }
  damage.cut = lines.cut();
  return builder.finish();
}

Datatype datatype(std::uint64_t size, std::int32_t code) {
  static constexpr const char* names[] = {"MPI_DOUBLE", "MPI_INT",   "MPI_CHAR", "MPI_SHORT",
                                          "MPI_LONG",   "MPI_FLOAT", "MPI_BYTE"};
  Datatype type;
  type.predefined = code >= 0 && code <= 6;
  type.contiguous = code <= 100;
  type.name = type.predefined ? names[code]
                              : fmt::format("{} of {} bytes", type.contiguous ? "contiguous" : "not contiguous", size);
  type.size = size;
  type.extent = static_cast<std::int64_t>(size);
  type.code = static_cast<std::uint8_t>(type.predefined ? code : type.contiguous ? 100 : 101);
  return type;
}

/// Makes one table of all ranks' communicators.
class CommunicatorTable {
 public:
  explicit CommunicatorTable(std::uint32_t world_size) {
    entries_.resize(2);
    entries_[0].made = entries_[1].made = true;
    auto& world = entries_[0].communicator;
    world.name = "MPI_COMM_WORLD";
    for (std::uint32_t rank = 0; rank < world_size; ++rank) world.members.push_back(rank);
    entries_[1].communicator.name = "MPI_COMM_SELF";
    numbers_ = {{"MPI_COMM_WORLD", 0}, {"MPI_COMM_SELF", 1}};
  }

  std::uint32_t add(std::uint32_t rank, const TextCommunicator& described) {
    const auto [at, added] = numbers_.try_emplace(described.name, static_cast<std::uint32_t>(entries_.size()));
    if (added) entries_.emplace_back().communicator.name = described.name;
    Entry& entry = entries_[at->second];
    if (at->second < 2) return at->second;
    if (!described.made) {
      entry.users.push_back(rank);
    } else {
      entry.made = true;
      entry.size = std::max(entry.size, described.size);
      entry.communicator.made_by = described.made_by;
      entry.records.push_back({described.color, described.key, rank});
    }
    return at->second;
  }

  std::vector<Communicator> finish(DataQuality& quality, bool complete) {
    std::vector<Communicator> all;
    std::uint32_t event = 0;
    for (Entry& entry : entries_) {
      if (all.size() >= 2) {
        if (entry.made)
          members(entry, event, quality, complete);
        else
          guess(entry, quality);
      }
      all.push_back(std::move(entry.communicator));
    }
    return all;
  }

 private:
  struct Entry {
    Communicator communicator;
    bool made = false;
    std::uint64_t size = 0;
    std::vector<std::tuple<std::int64_t, std::int64_t, std::uint32_t>> records;  ///< colour, key, rank
    std::vector<std::uint32_t> users;
  };

  /// In the order of (key, rank); the two sides of an inter-communicator have colours of their own.
  static void members(Entry& entry, std::uint32_t& next_event, DataQuality& quality, bool complete) {
    auto& c = entry.communicator;
    std::sort(entry.records.begin(), entry.records.end());
    const auto first = std::get<0>(entry.records.front());
    for (const auto& [color, key, rank] : entry.records) (color == first ? c.members : c.remote).push_back(rank);
    c.color = static_cast<std::int32_t>(first);
    c.key = static_cast<std::int32_t>(std::get<1>(entry.records.front()));
    constexpr std::string_view prefix = "mini_comm_";
    c.event = next_event;
    if (c.name.starts_with(prefix))
      std::from_chars(c.name.data() + prefix.size(), c.name.data() + c.name.size(), c.event);
    next_event = std::max(next_event, c.event) + 1;
    const std::uint64_t known = entry.records.size();
    if (known > entry.size)
      quality.add("pattern-shared-name", Severity::warning, c.name, 1,
                  "several communicators have this name: their members are mixed",
                  "the recorder numbered communicators in each process by itself; record with `mora pattern record`");
    else if (known < entry.size && complete)
      quality.add("pattern-members-missing", Severity::loss, c.name, entry.size - known,
                  "processes of the communicator have no record of it", "the trace is cut");
  }

  static void guess(Entry& entry, DataQuality& quality) {
    entry.communicator.members = entry.users;  // ranks came in ascending order
    quality.add("pattern-unknown-communicator", Severity::warning, entry.communicator.name, entry.users.size(),
                "no record makes the communicator: its members are taken to be the processes that use it, in the order "
                "of their ranks",
                "record with `mora pattern record`, which knows all ways to make communicators");
  }

  std::vector<Entry> entries_;
  std::map<std::string, std::uint32_t> numbers_;
};

/// Makes one of all ranks' tables.
class Tables {
 public:
  Tables(Definitions& definitions, std::uint32_t world_size) : definitions_(definitions), communicators_(world_size) {}

  void take(TextRank& rank) {
    std::vector<std::uint32_t> communicators, types, windows, phases;
    for (const auto& c : rank.communicators) communicators.push_back(communicators_.add(rank.trace.rank, c));
    for (const auto& type : rank.datatypes)
      types.push_back(number(types_, type, definitions_.datatypes, [&] { return datatype(type.first, type.second); }));
    for (const auto& w : rank.windows) {
      const auto communicator = communicators[w];
      windows.push_back(number(windows_, communicator, definitions_.windows, [&] { return Window{communicator, {}}; }));
    }
    for (const auto& phase : rank.phases)
      phases.push_back(number(phases_, phase, definitions_.phases, [&] { return phase; }));
    const auto move = [](std::uint32_t& id, const std::vector<std::uint32_t>& table) {
      if (id != no_id) id = table[id];
    };
    for (Call& call : rank.trace.calls) {
      move(call.communicator, communicators);
      move(call.sent.type, types);
      move(call.received.type, types);
      switch (info(call.operation).kind) {
        case OperationClass::phase:
          move(call.argument, phases);
          break;
        case OperationClass::communicator:
          move(call.argument, communicators);
          break;
        case OperationClass::window:
        case OperationClass::one_sided:
          move(call.argument, windows);
          break;
        default:
          break;
      }
    }
    fitted_ += rank.fitted_vectors;
    lost_neighbors_ += rank.lost_neighbors;
    open_ += rank.trace.complete ? 0 : 1;
  }

  void finish(DataQuality& quality, bool complete) {
    definitions_.communicators = communicators_.finish(quality, complete);
    definitions_.exact_vectors = fitted_ == 0;
    quality.add("pattern-fitted-vectors", Severity::warning, {}, fitted_,
                "collectives with a count for each process: the text keeps least, median and greatest only, the counts "
                "in between, and which process has which count, are not known",
                "record with `mora pattern record`, which keeps them");
    quality.add("pattern-unknown-neighbors", Severity::loss, {}, lost_neighbors_,
                "neighbourhood collectives: the text does not name the neighbours",
                "use the trace.mpt of the recording");
    quality.add("pattern-no-finalize", Severity::warning, {}, open_,
                "traces end without finalize: what came after is not known",
                "the program was killed, or the files were cut");
  }

 private:
  template <class Key, class Value, class Make>
  static std::uint32_t number(std::map<Key, std::uint32_t>& numbers, const Key& key, std::vector<Value>& values,
                              Make make) {
    const auto [at, added] = numbers.try_emplace(key, static_cast<std::uint32_t>(values.size()));
    if (added) values.push_back(make());
    return at->second;
  }

  Definitions& definitions_;
  CommunicatorTable communicators_;
  std::map<std::pair<std::uint64_t, std::int32_t>, std::uint32_t> types_;
  std::map<std::uint32_t, std::uint32_t> windows_;
  std::map<std::string, std::uint32_t> phases_;
  std::uint64_t fitted_ = 0, lost_neighbors_ = 0, open_ = 0;
};

}  // namespace

Result<PatternTrace> read_text_traces(const std::string& directory, const ProgressCallback& progress) {
  MORA_TRY(const auto found, find_text_files(directory));
  const std::size_t count = found.files.size();
  std::vector<std::optional<TextRank>> ranks(count);
  std::vector<std::optional<Error>> errors(count);
  std::vector<TextDamage> damage(count);
  Progress steps(progress, "reading text traces", count);
  std::mutex mutex;
  run_tasks(count, 0, [&](std::size_t i) {
    auto rank = read_rank(found.files[i], found.world_size, damage[i]);
    if (rank)
      ranks[i] = std::move(*rank);
    else
      errors[i] = std::move(rank.error());
    const std::lock_guard lock(mutex);
    steps.advance(1);
  });
  for (auto& error : errors)
    if (error) return tl::unexpected(std::move(*error));

  PatternTrace trace;
  trace.definitions.world_size = found.world_size;
  trace.definitions.origin = Origin::text;
  Tables tables(trace.definitions, found.world_size);
  for (auto& rank : ranks) {
    tables.take(*rank);
    trace.ranks.push_back(std::move(rank->trace));
  }
  trace.quality.merge(found.quality);
  report_text_damage(damage, found.files, trace.quality);
  tables.finish(trace.quality, count == found.world_size);
  return trace;
}

}  // namespace mora::predict
