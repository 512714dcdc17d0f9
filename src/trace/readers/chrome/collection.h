/// Collection: all events of a Chrome trace in compact form, by time line; and which process is which rank.
///
/// The format does not prescribe an order, so no event can be passed on before the whole file is read: the events wait
/// in a temporary file (SortedRuns), first as they come, then by time line and time.
/// Cost: O(log n) per event, plus its names. Memory: half of SpoolMemory::budget(), and each different name once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/data_quality.h"
#include "base/storage/sorted_runs.h"
#include "base/time.h"
#include "trace/definitions.h"
#include "trace/metrics/metric_value.h"
#include "trace/readers/chrome/event_parser.h"

namespace mora::trace::chrome {

enum class Phase : std::uint8_t {
  begin,
  end,
  complete,
  flow_start,
  flow_step,
  flow_end,
  counter,
  instant,
  message_half
};

/// Arguments of Mora's convention (docs/formats/chrome.md).
struct Extra {
  std::optional<std::uint64_t> sent, received, bytes;
  std::optional<std::int32_t> tag;
  std::uint32_t comm = no_id;  ///< number of the text; no_id: not given
  std::uint32_t root = no_id, peer = no_id;
  std::uint32_t text = 0;  ///< of an instant
  std::uint32_t site_file = 0, site_line = 0;
  bool is_send = false;
};

struct Item {
  Nanoseconds time = 0;
  Nanoseconds end = 0;             ///< complete
  std::uint64_t value = 0;         ///< counter: metric_value.h, with value_type
  std::uint64_t flow[2] = {0, 0};  ///< flows: what equal keys have equal
  std::uint32_t number = 0;        ///< place in the file
  std::uint32_t name = 0;          ///< number of the text
  std::uint32_t cat = 0;
  std::uint32_t line = 0;        ///< time line
  std::uint32_t target = no_id;  ///< time line that it goes to, after number()
  Phase phase = Phase::begin;
  bool binds_to_next = false;  ///< flow_end without "bp":"e"
  ValueType value_type = ValueType::real;
  Extra extra;
};

/// By time line and time; at equal times in the order of the file.
struct InOrder {
  bool operator()(const Item& a, const Item& b) const {
    return std::tie(a.target, a.time, a.number) < std::tie(b.target, b.time, b.number);
  }
};
using Items = SortedRuns<Item, InOrder>;

struct TimeLine {
  std::uint32_t process = 0;
  std::string tid, name;
  std::uint32_t rank = no_id, thread = 0;
  std::uint32_t target = no_id;  ///< where its items go: itself, or the first line of its process
  bool carries = false;          ///< has slices, flows or instants
  bool used = false;
};

/// Not thread-safe.
class Collection {
 public:
  Collection();
  void add(TraceEvent& event);
  /// Numbers ranks and threads and sorts the events; once, after the last one. Errors (system): they could not be kept.
  Result<void> number();

  /// All events by the number of the time line that they go to, each line's by time; after number().
  Items::Cursor items() const { return items_.cursor(); }
  /// Numbers of the texts that name communicators, each with the ranks that use it; after number().
  std::map<std::uint32_t, std::set<std::uint32_t>> communicators() const;
  const std::vector<TimeLine>& lines() const { return lines_; }
  const std::string& text(std::uint64_t number) const { return *texts_[number]; }
  void report(DataQuality& quality) const;
  std::uint64_t events() const { return events_; }

 private:
  struct Process {
    std::string pid, name;
    std::uint32_t rank = no_id;
    std::vector<std::uint32_t> lines;
  };
  struct Count {
    std::uint64_t count = 0;
    std::string first;
  };
  void keep(Item item);
  std::uint32_t intern(const std::string& text);
  std::uint32_t line_of(const TraceEvent& event);
  std::uint32_t process_of(const std::string& pid);
  void metadata(const TraceEvent& event);
  void counter(const TraceEvent& event, Item item);
  void arguments(const TraceEvent& event, Item& item);
  void count(const char* kind, const std::string& why);
  void number_lines();
  void number_processes();

  std::optional<Spool<Item>> collected_;  ///< as they stand in the file, until number()
  Items items_;
  std::optional<Error> failure_;
  std::uint32_t count_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> communicators_;  ///< (text, time line)
  std::vector<TimeLine> lines_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> line_numbers_;
  std::vector<Process> processes_;
  std::unordered_map<std::string, std::uint32_t> process_numbers_;
  std::unordered_map<std::string, std::uint32_t> text_numbers_;
  std::vector<const std::string*> texts_;
  std::map<std::string, Count> counts_;
  std::uint64_t events_ = 0;
};

}  // namespace mora::trace::chrome
