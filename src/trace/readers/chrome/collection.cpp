#include "trace/readers/chrome/collection.h"

#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <tuple>

#include "base/numbers/read_number.h"
#include "trace/event_spool.h"
#include "trace/readers/building/decimal_time.h"

namespace mora::trace::chrome {
namespace {

/// Numbers by value and before texts.
auto id_order(const std::string& id) {
  const auto value = number_in<std::int64_t>(id);
  return std::tuple(!value.has_value(), value.value_or(0), id);
}

/// "rank 3", "MPI Rank 3 (host)": 3.
std::uint32_t rank_in_name(std::string_view name) {
  std::string text(name.substr(0, 40));
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  std::string_view rest = text;
  if (rest.substr(0, 4) == "mpi ") rest.remove_prefix(4);
  if (rest.substr(0, 4) != "rank") return no_id;
  rest.remove_prefix(4);
  rest.remove_prefix(std::min(rest.find_first_not_of(" -_#:"), rest.size()));
  std::uint32_t rank = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), rank);
  return error == std::errc{} ? rank : no_id;
}

std::optional<Phase> phase_of(const std::string& ph) {
  if (ph.size() != 1) return std::nullopt;
  switch (ph[0]) {
    case 'B':
      return Phase::begin;
    case 'E':
      return Phase::end;
    case 'X':
      return Phase::complete;
    case 's':
      return Phase::flow_start;
    case 't':
      return Phase::flow_step;
    case 'f':
      return Phase::flow_end;
    case 'C':
      return Phase::counter;
    case 'i':
    case 'I':
    case 'R':
      return Phase::instant;
    default:
      return std::nullopt;
  }
}

}  // namespace

Collection::Collection() : collected_(std::in_place, 1, SpoolMemory::budget() / 4), items_(SpoolMemory::budget() / 4) {
  intern("");
}

void Collection::keep(Item item) {
  item.number = count_++;
  if (item.extra.comm != no_id) communicators_.emplace(item.extra.comm, item.line);
  if (failure_) return;
  if (auto kept = collected_->append(0, item); !kept) failure_ = kept.error();
}

std::uint32_t Collection::intern(const std::string& text) {
  const auto [at, is_new] = text_numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(&at->first);
  return at->second;
}

void Collection::count(const char* kind, const std::string& why) {
  Count& row = counts_[kind];
  if (row.count++ == 0) row.first = "; first: event " + std::to_string(events_) + ": " + why;
}

void Collection::report(DataQuality& quality) const {
  const auto row = [&](const char* kind, Severity severity, const char* what, const char* remedy) {
    const auto found = counts_.find(kind);
    if (found != counts_.end())
      quality.add(kind, severity, "", found->second.count, what + found->second.first, remedy);
  };
  row("damaged-record", Severity::loss, "events without what they need are left out",
      "the file is damaged (copy it again), or the program that wrote it is wrong");
  row("uninterpreted-event", Severity::info, "events of kinds that Mora does not interpret", "");
  row("rounded-time", Severity::info, "times finer than a nanosecond are rounded to the nearest", "");
}

std::uint32_t Collection::process_of(const std::string& pid) {
  const auto [at, is_new] = process_numbers_.try_emplace(pid, static_cast<std::uint32_t>(processes_.size()));
  if (is_new) processes_.push_back({pid, "", no_id, {}});
  return at->second;
}

std::uint32_t Collection::line_of(const TraceEvent& event) {
  const std::uint32_t process = process_of(event.pid);
  const auto [at, is_new] = line_numbers_.try_emplace({process, event.tid}, static_cast<std::uint32_t>(lines_.size()));
  if (is_new) {
    TimeLine line;
    line.process = process;
    line.tid = event.tid;
    lines_.push_back(line);
    processes_[process].lines.push_back(at->second);
  }
  return at->second;
}

void Collection::metadata(const TraceEvent& event) {
  for (const Argument& argument : event.args) {
    if (argument.key != "name") continue;
    if (event.name == "process_name") processes_[process_of(event.pid)].name = argument.text;
    if (event.name == "thread_name") lines_[line_of(event)].name = argument.text;
  }
}

void Collection::add(TraceEvent& event) {
  ++events_;
  if (event.ph == "M") return metadata(event);
  const auto phase = phase_of(event.ph);
  if (!phase) {
    if (event.ph.empty()) return count("damaged-record", "it has no phase (\"ph\")");
    return count("uninterpreted-event", "phase '" + event.ph.substr(0, 20) + "'");
  }
  const auto time = decimal_time(event.ts, 3);
  if (!time) return count("damaged-record", "\"ts\" is no number of microseconds within 73 years");
  Item item;
  item.phase = *phase;
  item.time = item.end = time->time;
  bool rounded = time->rounded;
  if (item.phase == Phase::complete) {
    const auto duration = decimal_time(event.dur, 3);
    if (!duration || duration->time < 0) return count("damaged-record", "\"dur\" is no duration");
    item.end += duration->time;
    rounded = rounded || duration->rounded;
  }
  if (rounded) count("rounded-time", event.ts.substr(0, 40));
  if (event.has_flow) count("uninterpreted-event", "a flow bound by bind_id");
  item.line = line_of(event);
  lines_[item.line].used = true;
  if (item.phase == Phase::counter) return counter(event, item);
  if (item.phase == Phase::flow_start || item.phase == Phase::flow_step || item.phase == Phase::flow_end) {
    if (event.id.empty()) return count("damaged-record", "a flow without \"id\"");
    const std::string key = event.cat + '\0' + event.name + '\0' + event.id;
    const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
    item.flow[0] = hash.high64;
    item.flow[1] = hash.low64;
    item.binds_to_next = item.phase == Phase::flow_end && event.bp != "e";
  }
  item.name = intern(event.name);
  item.cat = intern(event.cat);
  if (!event.args.empty()) arguments(event, item);
  // An instant of a whole process does not make a time line.
  if (item.phase != Phase::instant || !event.tid.empty()) lines_[item.line].carries = true;
  keep(item);
}

/// Every argument of a counter event is a counter of its own, named after event and argument.
void Collection::counter(const TraceEvent& event, Item item) {
  for (const Argument& argument : event.args) {
    const auto value = argument.is_number ? read_metric_value(argument.text) : std::nullopt;
    if (!value || !std::isfinite(value->number())) {
      count("damaged-record", "a counter's value is no number");
      continue;
    }
    std::string name = event.name;
    if (!event.id.empty()) name += "[" + event.id + "]";
    if (argument.key != "value" && argument.key != event.name) name += (name.empty() ? "" : ".") + argument.key;
    item.name = intern(name);
    item.value = value->bits;
    item.value_type = value->type;
    keep(item);
  }
}

/// Keeps the arguments of Mora's convention; all others are ignored.
void Collection::arguments(const TraceEvent& event, Item& item) {
  Extra extra;
  bool used = false;
  for (const Argument& argument : event.args) {
    const std::string& key = argument.key;
    const auto as_unsigned = number_in<std::uint64_t>(argument.text);
    const auto as_rank = number_in<std::uint32_t>(argument.text);
    if (key == "bytes")
      extra.bytes = as_unsigned;
    else if (key == "sent")
      extra.sent = as_unsigned;
    else if (key == "recvd")
      extra.received = as_unsigned;
    else if (key == "tag")
      extra.tag = number_in<std::int32_t>(argument.text);
    else if (key == "comm")
      extra.comm = intern(argument.text);
    else if (key == "root")
      extra.root = as_rank.value_or(no_id);
    else if (key == "peer")
      extra.peer = as_rank.value_or(no_id);
    else if (key == "text")
      extra.text = intern(argument.text);
    else if (key == "site") {
      const auto colon = argument.text.rfind(':');
      const auto line =
          colon == std::string::npos ? std::nullopt : number_in<std::uint32_t>(argument.text.substr(colon + 1));
      extra.site_file = intern(line ? argument.text.substr(0, colon) : argument.text);
      extra.site_line = line.value_or(0);
    } else {
      continue;
    }
    used = true;
  }
  if (!used) return;
  if (item.phase == Phase::instant && event.cat == "event" && extra.peer != no_id &&
      (event.name == "SEND" || event.name == "RECV")) {
    item.phase = Phase::message_half;
    extra.is_send = event.name == "SEND";
  }
  item.extra = extra;
}

Result<void> Collection::number() {
  number_lines();
  if (failure_) return tl::unexpected(*failure_);
  {
    auto items = collected_->cursor(0);
    while (const Item* next = items.next()) {
      Item item = *next;
      item.target = lines_[item.line].target;
      items_.add(item);
    }
    if (items.failed())
      return fail(ErrorKind::system, "cannot read intermediate data", "the temporary file of events", "",
                  "check the disk, or name another directory: TMPDIR=/path mora …");
  }
  collected_.reset();
  items_.sort();
  if (items_.failure()) return tl::unexpected(*items_.failure());
  return {};
}

std::map<std::uint32_t, std::set<std::uint32_t>> Collection::communicators() const {
  std::map<std::uint32_t, std::set<std::uint32_t>> users;
  for (const auto& [text, line] : communicators_) users[text].insert(lines_[line].rank);
  return users;
}

// Lines that carry slices, flows or instants are threads; the others (only counters) go to the first thread of their
// process.
void Collection::number_lines() {
  number_processes();
  for (Process& process : processes_) {
    if (process.rank == no_id) continue;
    // The main thread first: Linux gives it the number of its process.
    std::sort(process.lines.begin(), process.lines.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(lines_[a].tid != process.pid, id_order(lines_[a].tid)) <
             std::tuple(lines_[b].tid != process.pid, id_order(lines_[b].tid));
    });
    std::uint32_t first = no_id;
    std::uint32_t threads = 0;
    for (const bool carrying : {true, false}) {
      for (const std::uint32_t l : process.lines) {
        TimeLine& line = lines_[l];
        if (!line.used || line.carries != carrying) continue;
        line.rank = process.rank;
        if (first == no_id) first = l;
        line.target = carrying ? l : first;
        if (line.target == l) line.thread = threads++;
      }
    }
  }
}

/// Ranks: "rank 3" in the name of a process is used if no other process has it; the others get the free numbers in the
/// order of their pids.
void Collection::number_processes() {
  std::vector<std::uint32_t> order;
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    const auto& lines = processes_[p].lines;
    if (std::any_of(lines.begin(), lines.end(), [&](std::uint32_t l) { return lines_[l].used; })) order.push_back(p);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return id_order(processes_[a].pid) < id_order(processes_[b].pid);
  });
  // A rank far beyond the number of processes would cost memory for nothing.
  const std::size_t beyond = 4096 + 8 * order.size();
  std::set<std::uint32_t> taken;
  for (const std::uint32_t p : order) {
    const std::uint32_t rank = rank_in_name(processes_[p].name);
    if (rank < beyond && taken.insert(rank).second) processes_[p].rank = rank;
  }
  std::uint32_t next = 0;
  for (const std::uint32_t p : order) {
    if (processes_[p].rank != no_id) continue;
    while (taken.count(next) != 0) ++next;
    processes_[p].rank = next++;
  }
}

}  // namespace mora::trace::chrome
