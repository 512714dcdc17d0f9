/// Collection: all events of a Chrome trace in compact form, by time line; and which process is which rank.
///
/// The format does not prescribe an order, so no event can be passed on before the whole file is read.
/// Cost: O(1) per event, plus its names. Memory: 48 bytes per event and 72 for those with arguments that are used.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/data_quality.h"
#include "base/time.h"
#include "trace/definitions.h"
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

struct Item {
  Nanoseconds time = 0;
  Nanoseconds end = 0;      ///< complete
  std::uint64_t value = 0;  ///< counter: bits of the double; flows: number of the key's text
  std::uint32_t name = 0;   ///< number of the text
  std::uint32_t cat = 0;
  std::uint32_t line = 0;  ///< time line
  std::uint32_t extra = no_id;
  Phase phase = Phase::begin;
  bool binds_to_next = false;  ///< flow_end without "bp":"e"
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
  /// Numbers ranks and threads; once, after the last event.
  void number();

  const std::vector<Item>& items() const { return items_; }
  const Extra& extra(const Item& item) const { return item.extra == no_id ? nothing_ : extras_[item.extra]; }
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
  std::uint32_t intern(const std::string& text);
  std::uint32_t line_of(const TraceEvent& event);
  std::uint32_t process_of(const std::string& pid);
  void metadata(const TraceEvent& event);
  void counter(const TraceEvent& event, Item item);
  void arguments(const TraceEvent& event, Item& item);
  void count(const char* kind, const std::string& why);
  void number_processes();

  std::vector<Item> items_;
  std::vector<Extra> extras_;
  Extra nothing_;
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
