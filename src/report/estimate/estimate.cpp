// Idea: cells of visits, messages and bytes are all that sizes follow from (experiment/size/). What calls of one
// location do for each other (a wait completes what another call started) is divided among them by their visits.
//
// Source: Score-P 8, Score-P Score. Cost: O(MPI call paths × locations). Limits: as of record_sizes.cpp; a new run may
// make other calls.
#include "report/estimate/estimate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/result.h"
#include "base/numbers/saturated.h"
#include "base/numbers/shares.h"
#include "cube/labels.h"
#include "experiment/manifest.h"
#include "journal/journal_writer.h"
#include "mpi/groups.h"
#include "report/estimate/parts.h"
#include "trace/paradigm.h"

namespace mora::report {
namespace {

using cube::CallPathId;
using cube::MetricId;
using experiment::CallCounts;
using experiment::CallsAround;
using experiment::RecordedSize;
using mpi::CallClass;

/// Calls and bytes of a run; so many still fit when they are multiplied by what one takes.
constexpr std::int64_t most_counted = std::int64_t{1} << 54;

/// A call path of MPI.
struct Call {
  CallPathId path = 0;
  const mpi::Function* function = nullptr;
  std::size_t part = 0;
};

struct Metrics {
  MetricId visits, time, bytes_sent, bytes_received, messages_sent, messages_received, recorded_polls,
      recorded_readings;
  explicit Metrics(const cube::Cube& cube)
      : visits(cube.find_metric("visits")),
        time(cube.find_metric("time")),
        bytes_sent(cube.find_metric("bytes-sent")),
        bytes_received(cube.find_metric("bytes-received")),
        messages_sent(cube.find_metric("messages-sent")),
        messages_received(cube.find_metric("messages-received")),
        recorded_polls(cube.find_metric("recorded-polls")),
        recorded_readings(cube.find_metric("recorded-readings")) {}
};

std::int64_t cell(const cube::Cube& cube, MetricId metric, CallPathId path, cube::LocationId location) {
  return metric == cube::no_id ? 0 : cube.get(metric, path, location);
}

/// Regions of libraries, which no filter of functions leaves out.
bool is_of_library(const std::string& name) { return trace::paradigm_of(name) != trace::Paradigm::unknown; }

bool completes_transfers(CallClass call) {
  return call == CallClass::fence || call == CallClass::complete || call == CallClass::unlock ||
         call == CallClass::passive_other;
}

/// The calls of one location, all call paths of MPI in order.
class OneLocation {
 public:
  /// `recorded_polls`: by call, if the results have it.
  OneLocation(const std::vector<Call>& calls, std::vector<CallCounts> counts,
              const std::vector<std::int64_t>& recorded_polls, std::int64_t processes)
      : calls_(calls), counts_(std::move(counts)) {
    const auto n = calls.size();
    around_.processes = processes;
    around_.regions = static_cast<std::int64_t>(n);
    std::int64_t to_complete = 0, receives = 0, begun = 0, transfers = 0, others = 0;
    std::vector<std::int64_t> completing(n), starting(n), closing(n), polling(n);
    for (std::size_t i = 0; i < n; ++i) {
      const mpi::Function& f = *calls[i].function;
      const CallCounts& c = counts_[i];
      const bool polls = mpi::polls_messages(f);
      if (f.call == CallClass::send_start || f.call == CallClass::start) to_complete += c.messages_sent;
      if (f.call == CallClass::collective_start || mpi::is_request_based(f)) to_complete += c.visits;
      if (f.call == CallClass::receive_start) begun += c.visits;
      if (f.call == CallClass::start) starting[i] = c.visits;
      if (mpi::is_rma_transfer(f.call)) transfers += c.visits;
      if (completes_transfers(f.call)) closing[i] = c.visits;
      if (mpi::completes_requests(f.call)) {
        completing[i] = polls ? std::min(c.visits, c.messages_received + 1) : c.visits;
        receives += c.messages_received;
      }
      (polls ? polling[i] : others) += c.visits;
    }
    around_.requests = to_complete + std::max(receives, begun);
    sends_ = exact_shares(to_complete, completing);
    receives_ = exact_shares(std::max<std::int64_t>(0, receives - begun), starting);
    transfers_ = exact_shares(transfers, closing);
    rows_ = exact_shares(others, polling);
    for (std::size_t i = 0; i < recorded_polls.size(); ++i)
      rows_[i] = std::max<std::int64_t>(0, recorded_polls[i] - counts_[i].messages_received - sends_[i]);
  }

  RecordedSize size(std::size_t i, bool with_polls) const {
    CallsAround around = around_;
    around.sends_completed = sends_[i];
    around.receives_begun = receives_[i];
    around.transfers_completed = transfers_[i];
    around.rows_of_polls = with_polls ? rows_[i] : 0;
    return experiment::size_of_calls(*calls_[i].function, counts_[i], around);
  }

 private:
  const std::vector<Call>& calls_;
  std::vector<CallCounts> counts_;
  CallsAround around_;
  std::vector<std::int64_t> sends_, receives_, transfers_, rows_;
};

void by_size(std::vector<EstimatedPart>& parts) {
  std::erase_if(parts, [](const EstimatedPart& p) { return p.visits == 0; });
  std::stable_sort(parts.begin(), parts.end(), [](const EstimatedPart& a, const EstimatedPart& b) {
    return a.size.archive_bytes > b.size.archive_bytes;
  });
}

class Estimating {
 public:
  Estimating(const cube::Cube& cube, const RecordedFacts& facts)
      : cube_(cube), facts_(facts), metrics_(cube), groups_(part_names().size()) {
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].name = part_names()[i];
  }

  Result<Estimate> make(const std::string& name) {
    MORA_CHECK_OK(find_calls(name));
    out_.locations = static_cast<std::uint32_t>(cube_.locations.size());
    for (const cube::Location& l : cube_.locations) {
      out_.ranks = std::max(out_.ranks, l.rank + 1);
      out_.rank_of_location.push_back(l.rank);
    }
    out_.call_paths.resize(calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      out_.call_paths[i].name = cube::path_text(cube_, calls_[i].path);
      out_.call_paths[i].group = part_names()[calls_[i].part];
    }
    out_.by_location.assign(cube_.locations.size(), std::vector<RecordedSize>(2 * part_names().size()));
    for (cube::LocationId l = 0; l < cube_.locations.size(); ++l) add_location(l);
    add_functions();
    sum_up();
    say_what_is_not_known();
    by_size(out_.call_paths);
    by_size(out_.functions);
    out_.groups = groups_;
    by_size(out_.groups);
    return std::move(out_);
  }

 private:
  Result<void> find_calls(const std::string& name) {
    if (metrics_.visits == cube::no_id || cube_.total(metrics_.visits) == 0)
      return fail(ErrorKind::usage, "the results do not say how often calls were made", name,
                  "there is no metric `visits`, or it is 0 everywhere",
                  "give the experiment of a run with `mora record --stats`, or a trace");
    const auto names = mpi::group_names();
    for (CallPathId p = 0; p < cube_.call_paths.size(); ++p) {
      const cube::CallPath& path = cube_.call_paths[p];
      if (path.kind != cube::CallPathKind::mpi) continue;
      const mpi::Function& f = mpi::function(mpi::find(path.name));
      const auto group = mpi::group_of(f);
      const auto found = std::find(names.begin(), names.end(), group);
      calls_.push_back(
          {p, &f, found == names.end() ? part_of(always_recorded) : static_cast<std::size_t>(found - names.begin())});
    }
    if (calls_.empty())
      return fail(ErrorKind::usage, "there is no call of MPI in these results", name, "",
                  "give the experiment of a run of an MPI program");
    if (metrics_.recorded_readings != cube::no_id) readings_ = cube_.by_location(metrics_.recorded_readings);
    const bool is_of_a_run =
        std::all_of(readings_.begin(), readings_.end(), [](std::int64_t n) { return n >= 0 && n <= most_counted; });
    if (!is_of_a_run) return no_run(name, "the number of core readings is negative, or larger than any run's");
    knows_readings_ = std::any_of(readings_.begin(), readings_.end(), [](std::int64_t n) { return n != 0; });
    std::int64_t counted = 0;
    for (const MetricId m : {metrics_.visits, metrics_.messages_sent, metrics_.messages_received, metrics_.bytes_sent,
                             metrics_.bytes_received, metrics_.time, metrics_.recorded_polls}) {
      for (const Call& call : calls_) {
        for (cube::LocationId l = 0; l < cube_.locations.size(); ++l) {
          const std::int64_t value = cell(cube_, m, call.path, l);
          if (m != metrics_.time) counted = saturated_sum(counted, value);
          if (value < 0 || counted > most_counted)
            return no_run(name, value < 0 ? "a count or a time is negative" : "counts are larger than any run's");
        }
      }
    }
    return {};
  }

  static tl::unexpected<Error> no_run(const std::string& name, const char* reason) {
    return fail(ErrorKind::usage, "the results are not those of a run", name, reason,
                "give an experiment, not the difference of two");
  }

  void add_location(cube::LocationId l) {
    std::vector<CallCounts> counts;
    std::vector<std::int64_t> recorded_polls;
    std::int64_t visits = 0, stretches = 1;
    Nanoseconds in_calls = 0;
    for (const Call& call : calls_) {
      const auto value = [&](MetricId m) { return cell(cube_, m, call.path, l); };
      counts.push_back({value(metrics_.visits), value(metrics_.bytes_sent), value(metrics_.bytes_received),
                        value(metrics_.messages_sent), value(metrics_.messages_received)});
      if (metrics_.recorded_polls != cube::no_id) recorded_polls.push_back(value(metrics_.recorded_polls));
      visits += counts.back().visits;
      in_calls += value(metrics_.time);
      stretches += experiment::stretches_read(counts.back().visits, value(metrics_.time));
    }
    auto& parts = out_.by_location[l];
    const OneLocation location(calls_, counts, recorded_polls, out_.ranks);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (counts[i].visits == 0) continue;
      RecordedSize own = location.size(i, false), polls = location.size(i, true);
      polls -= own;
      const std::size_t part = calls_[i].part;
      parts[part] += own;
      parts[polls_of(part)] += polls;
      const auto time = cell(cube_, metrics_.time, calls_[i].path, l);
      add(out_.call_paths[i], counts[i].visits, time, own);
      out_.call_paths[i].size += polls;
      add(groups_[part], counts[i].visits, time, own);
      const std::size_t row = part_of("polls");
      groups_[row].size += polls;
      groups_[row].visits += polls.records;
      is_polling_ = is_polling_ || polls.records > 0;
    }
    const auto lifetime = metrics_.time == cube::no_id ? 0 : lifetimes()[l];
    const Nanoseconds computation = std::max<Nanoseconds>(0, lifetime - in_calls);
    out_.lifetime += lifetime;
    const auto samples =
        static_cast<std::int64_t>(static_cast<Wide>(computation) * experiment::samples_per_second / 1'000'000'000);
    stretches += experiment::stretches_read(visits, computation);
    const auto readings = knows_readings_ ? readings_[l] : 2 * std::min(visits, stretches);
    add_other(l, computation_samples, samples,
              experiment::size_of_samples(samples, static_cast<std::int64_t>(cube_.call_paths.size())));
    add_other(l, core_readings, readings, experiment::size_of_readings(readings));
    parts[part_of(always_recorded)] += experiment::size_of_location;
    groups_[part_of(always_recorded)].size += experiment::size_of_location;
    out_.recorder += (visits + functions_at(l)) * static_cast<Nanoseconds>(experiment::ns_per_call) +
                     samples * experiment::ns_per_sample;
  }

  __extension__ using Wide = __int128;

  static void add(EstimatedPart& part, std::int64_t visits, Nanoseconds time, const RecordedSize& size) {
    part.visits += visits;
    part.time += time;
    part.size += size;
  }

  void add_other(cube::LocationId l, const char* name, std::int64_t count, const RecordedSize& size) {
    out_.by_location[l][part_of(name)] += size;
    add(groups_[part_of(name)], count, 0, size);
  }

  const std::vector<std::int64_t>& lifetimes() {
    if (lifetimes_.empty()) lifetimes_ = cube_.by_location(metrics_.time);
    return lifetimes_;
  }

  /// Visits of the program's own functions.
  std::int64_t functions_at(cube::LocationId l) const {
    std::int64_t visits = 0;
    for (CallPathId p = 1; p < cube_.call_paths.size(); ++p)
      if (cube_.call_paths[p].kind == cube::CallPathKind::user) visits += cell(cube_, metrics_.visits, p, l);
    return visits;
  }

  /// Regions with begin and end that are no calls of MPI. Of their time, what they compute.
  void add_functions() {
    std::map<std::string, std::size_t> rows;
    std::vector<Nanoseconds> computed(cube_.call_paths.size());
    for (CallPathId p = 1; p < cube_.call_paths.size() && metrics_.time != cube::no_id; ++p) {
      const cube::CallPath& path = cube_.call_paths[p];
      const auto time = cube_.call_path_total(metrics_.time, p);
      if (path.kind == cube::CallPathKind::user) computed[p] += time;
      if (path.kind == cube::CallPathKind::compute && path.parent != cube::no_id) computed[path.parent] += time;
    }
    const auto regions = static_cast<std::int64_t>(cube_.call_paths.size());
    for (CallPathId p = 1; p < cube_.call_paths.size(); ++p) {
      const cube::CallPath& path = cube_.call_paths[p];
      const bool is_mark = path.kind == cube::CallPathKind::interval;
      if ((path.kind != cube::CallPathKind::user && !is_mark) || analysis::is_found_iteration(path)) continue;
      const auto visits = cube_.call_path_total(metrics_.visits, p);
      if (visits == 0) continue;
      const auto part = part_of(is_mark ? always_recorded : is_of_library(path.name) ? thread_waits : user_functions);
      for (cube::LocationId l = 0; l < cube_.locations.size(); ++l) {
        const auto here = cell(cube_, metrics_.visits, p, l);
        out_.by_location[l][part] += experiment::size_of_functions(here, regions);
      }
      const RecordedSize size = experiment::size_of_functions(visits, regions);
      add(groups_[part], visits, is_mark ? 0 : computed[p], size);
      if (part != part_of(user_functions)) continue;
      const auto [row, is_new] = rows.try_emplace(path.name, out_.functions.size());
      if (is_new) out_.functions.push_back({path.name});
      add(out_.functions[row->second], visits, computed[p], size);
    }
  }

  void sum_up() {
    std::vector<RecordedSize> of_rank(out_.ranks);
    for (cube::LocationId l = 0; l < cube_.locations.size(); ++l)
      for (const RecordedSize& size : out_.by_location[l]) of_rank[cube_.locations[l].rank] += size;
    for (std::uint32_t r = 0; r < out_.ranks; ++r) {
      out_.total += of_rank[r];
      if (r == 0 || of_rank[r].journal_bytes > out_.of_fullest_rank.journal_bytes) {
        out_.fullest_rank = r;
        out_.of_fullest_rank = of_rank[r];
      }
    }
    out_.definition_bytes =
        experiment::definition_bytes + experiment::definition_bytes_of_location * out_.locations +
        experiment::definition_bytes_of_call_path * static_cast<std::int64_t>(cube_.call_paths.size());
    out_.total.archive_bytes += out_.definition_bytes;
    std::map<std::uint32_t, std::int64_t> threads;
    for (const cube::Location& l : cube_.locations) {
      auto& memory = threads[l.rank];
      memory += memory == 0 ? MORA_JOURNAL_USUAL_CHUNK_BYTES : MORA_JOURNAL_THREAD_CHUNK_BYTES;
      out_.memory_bytes_of_rank = std::max(out_.memory_bytes_of_rank, memory);
    }
  }

  void say_what_is_not_known() {
    auto& say = out_.not_known;
    if (facts_.is_profile)
      say.emplace_back(
          "functions of the program (-finstrument-functions), OpenMP and waits of threads: sums of calls do not have "
          "them. They need a short run without --stats");
    if (!facts_.left_out.empty())
      say.push_back(fmt::format("calls of {}: they were left out of this recording", fmt::join(facts_.left_out, ", ")));
    if (facts_.is_cut) say.emplace_back("what the run did outside of the part that was recorded (--budget, --ring)");
    if (is_polling_ && metrics_.recorded_polls == cube::no_id)
      say.emplace_back(
          "how many records the tests and probes take that found nothing: those in a row are one; at most one row "
          "for each other call is assumed");
    if (!knows_readings_)
      say.emplace_back(
          "how many core readings come: these results do not count them, and the number is the most. One ends a call "
          "at "
          "most, however long that was, and how many calls were long sums do not say");
    if (groups_[part_of(computation_samples)].visits > 0)
      say.push_back(
          fmt::format("how many samples come: the number is the most, {} for each second of computation. In long "
                      "computations the recorder keeps fewer, and a kernel may give fewer",
                      experiment::samples_per_second));
    say.emplace_back(
        "lengths of single messages, tags, neighbours and lists of counts: means and usual values stand for them. Core "
        "readings and samples depend on how long the run takes");
  }

  const cube::Cube& cube_;
  const RecordedFacts& facts_;
  Metrics metrics_;
  std::vector<EstimatedPart> groups_;
  std::vector<Call> calls_;
  std::vector<std::int64_t> lifetimes_;
  std::vector<std::int64_t> readings_;  ///< of the core, by location; empty: the results do not count them
  bool knows_readings_ = false;
  bool is_polling_ = false;
  Estimate out_;
};

}  // namespace

const std::vector<std::string>& part_names() {
  static const std::vector<std::string> names = [] {
    auto all = mpi::group_names();
    for (const char* more : {always_recorded, user_functions, thread_waits, computation_samples, core_readings})
      all.emplace_back(more);
    return all;
  }();
  return names;
}

std::size_t part_of(const std::string& name) {
  const auto& names = part_names();
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

RecordedFacts recorded_facts(const std::string& text) {
  RecordedFacts facts;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return facts;
  const auto child = [](const nlohmann::json& at, const char* key) {
    const auto found = at.is_object() ? at.find(key) : at.end();
    return found == at.end() ? nlohmann::json() : *found;
  };
  const auto settings = child(json, "configuration");
  facts.is_profile = child(settings, "MORA_STATS") == "1";
  for (const char* bound : {"MORA_BUDGET", "MORA_RING", experiment::ring_time_setting})
    facts.is_cut = facts.is_cut || !child(settings, bound).is_null();
  if (const auto left_out = child(settings, experiment::left_out_setting); left_out.is_string())
    facts.left_out.push_back(left_out.get<std::string>());
  const auto totals = child(json, "totals");
  const auto number = [&](const char* key) {
    const auto value = child(totals, key);
    return value.is_number_integer() && !facts.is_profile ? value.get<std::int64_t>() : 0;
  };
  facts.events = number("events");
  facts.archive_bytes = number("archive_bytes");
  return facts;
}

Result<Estimate> estimate(const cube::Cube& cube, const RecordedFacts& facts, const std::string& name) {
  return Estimating(cube, facts).make(name);
}

}  // namespace mora::report
