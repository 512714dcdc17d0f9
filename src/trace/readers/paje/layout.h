/// Layout: which containers of a Pajé file are processes and threads, and what happens between them.
///
/// Pajé has no processes: containers of any type nest in any way. Rule `paje-processes` (docs/formats/paje.md): a *time
/// line* is a (container, state type); its container is a thread if its type says so or if it lies below a process,
/// else a process. First pass over the file: Survey collects; then lay_out() numbers ranks and threads.
/// Cost: O(log) per record. Memory: one entry per time line, the budget of LinkedMessages, 40 bytes per transfer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/readers/building/linked_messages.h"
#include "trace/readers/paje/interpreter.h"

namespace mora::trace::paje {

struct TimeLine {
  std::uint32_t container = 0;
  std::uint32_t type = no_id;  ///< state type; no_id: a container that has links or events, but no states
  std::uint32_t rank = no_id;  ///< no_id: its records go to the container's first time line
  std::uint32_t thread = 0;
};

class Survey : public RecordSink {
 public:
  void on_record(const Record& record) override;
  /// Numbers ranks and threads and pairs the messages. Call once, after the last record. Errors (system): those of
  /// LinkedMessages::link().
  Result<void> lay_out(const Interpreter& interpreter);

  const std::vector<TimeLine>& time_lines() const { return time_lines_; }
  /// Number of the time line; no_id if the container has no such.
  std::uint32_t time_line(std::uint32_t container, std::uint32_t type) const;
  /// Where links, events and variables of the container belong: its first time line, that of its first thread, or
  /// no_id.
  std::uint32_t first_line(std::uint32_t container) const {
    return container < first_line_.size() ? first_line_[container] : no_id;
  }
  /// In the order of the file's link records.
  const LinkedMessages& messages() const { return messages_; }
  /// A link of type Transfer: from where the data are to where they go.
  struct Transfer {
    bool gets = false, has_end = false;
    std::uint32_t from = 0, to = 0;  ///< containers
    Nanoseconds end = 0;
    std::uint64_t bytes = 0;
  };
  /// In the order in which they start in the file.
  const std::vector<Transfer>& transfers() const { return transfers_; }
  /// Name of the host that the rank's process lies in; empty if unknown. By rank.
  const std::vector<std::string>& hosts() const { return hosts_; }
  Nanoseconds last() const { return last_; }

 private:
  struct Seat;
  void note(std::uint32_t container, std::uint32_t type);
  void transfer(const Record& record);
  bool seats_by_name(const Interpreter& interpreter, std::vector<Seat>& seats) const;
  void seats_by_type(const Interpreter& interpreter, std::vector<Seat>& seats) const;

  std::vector<TimeLine> time_lines_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> by_key_;
  std::vector<std::uint32_t> first_line_;
  std::vector<std::string> hosts_;
  LinkedMessages messages_;
  std::vector<Transfer> transfers_;
  std::map<std::string, std::size_t, std::less<>> open_transfers_;  ///< by key
  Nanoseconds last_ = INT64_MIN;
};

/// "rank-3", "MPI Rank 3", "P#3", "process 3", "rank 3 thread 1"; nothing if the name says no such thing.
std::optional<LinkedMessages::Place> place_in_name(std::string_view name);

}  // namespace mora::trace::paje
