/// Collects definitions and events while a trace text is read, and adds what the text leaves out: the leaves of compact
/// calls, ids of requests and transfers, definitions on first use.
/// Cost: O(log) per statement. Memory: the whole trace.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/memory_source.h"
#include "trace/mpi_function.h"

namespace mora::trace::text {

/// A request while it lives; what its message will be, or what its completion will say.
struct Request {
  std::uint64_t id = 0;  ///< of the present activation
  bool send = false;
  bool persistent = false;
  bool active = false;
  std::uint32_t peer = no_id;  ///< no_id = MPI_PROC_NULL
  std::uint64_t bytes = 0;
  std::int32_t tag = 0;
  CommId comm = 0;
  std::optional<Event> completion;  ///< of a non-blocking collective or a one-sided transfer
};

/// An open region. Compact calls know their end and what happens there.
struct OpenRegion {
  RegionId region = no_id;
  std::uint32_t line = 0;
  std::optional<Nanoseconds> end;
  std::vector<Event> at_end;
};

/// One location while the text is read.
struct Stream {
  std::vector<Event> events;
  std::vector<OpenRegion> open;
  std::map<std::string, Request, std::less<>> requests;
  std::map<WindowId, GroupId> access;    ///< open since start
  std::map<WindowId, GroupId> exposure;  ///< open since post
  std::vector<std::vector<std::uint64_t>> vectors;
  std::uint64_t next_request = 1;
  std::uint64_t next_transfer = 1;
  std::optional<Nanoseconds> last;
};

class Builder {
 public:
  Builder();

  using Key = std::pair<std::uint32_t, std::uint32_t>;  ///< rank, thread

  Stream& stream(Key key) { return streams_[key]; }
  /// "MPI_Send" or "MPI_Send@file.c:17"; made on first use.
  RegionId region(std::string_view name_and_site);
  const Region& region(RegionId id) const { return source_->defs.regions[id]; }
  CallerId caller(std::string_view path);  ///< "main>step@a.c:5,a.c:40"; made on first use
  std::optional<CommId> communicator(std::string_view name) const;
  // add_…: false if the name is taken.
  bool add_communicator(std::string_view name, Communicator communicator);
  /// Its processes are placed when the text ends: ranks of the communicator, the last coordinate runs fastest.
  void add_grid(CommId communicator, CartesianGrid grid);
  std::optional<WindowId> window(std::string_view name);  ///< defines w0, w1 … on first use
  bool is_window(std::string_view name) const;
  bool add_window(std::string_view name, CommId comm, std::vector<std::pair<std::uint32_t, std::uint64_t>> bases = {});
  std::optional<GroupId> group(std::string_view name) const;
  GroupId group(const std::vector<std::uint32_t>& members);  ///< made on first use
  bool add_group(std::string_view name, const std::vector<std::uint32_t>& members);
  std::uint32_t metric(std::string_view name);     ///< defined on first use
  std::uint32_t file(std::string_view name);       ///< defined on first use
  std::uint32_t user_type(std::string_view name);  ///< defined on first use
  std::uint64_t string(std::string_view text);
  bool add_metric(std::string_view name, std::string_view unit, bool is_count);
  void set_region_group(std::string_view region, std::string_view group) {
    region_groups_[std::string(region)] = group;
  }
  /// Regions of this name are intervals like `sample`. False: such a region was used or defined before.
  bool add_interval(std::string_view name, const Region& sample);
  void set_kind(Key key, LocationKind kind, std::string_view name);
  void set_node(std::string_view name, const std::vector<std::uint32_t>& ranks);
  void set_program(std::string_view name) { source_->defs.program = name; }
  void set_ranks(std::uint32_t ranks) { fixed_ranks_ = ranks; }
  /// False if the rank lies outside a world of fixed size.
  bool note_rank(std::uint64_t rank);
  /// Number of members of the local group.
  std::uint32_t comm_size(CommId comm) const;
  /// Its rank in the communicator (the group it is in); nullopt = it is no member.
  std::optional<std::uint32_t> comm_rank(CommId comm, std::uint32_t rank) const;

  /// Closes compact calls that end at or before `time`. False if an open call ends before `time` and cannot be
  /// closed because something inside it is open; `line` is then where it began.
  bool advance(Stream& stream, Nanoseconds time, std::uint32_t& line);
  /// Appends an event to a stream.
  void emit(Stream& stream, const Event& event);

  /// The two halves of a transfer; `origin` recorded the operation.
  bool transfer_start(Key origin, const Event& event);  ///< false: the id was used before
  bool transfer_end(Key origin, const Event& event);    ///< event.time = the end
  void transfer_at_target(Key origin, std::uint64_t id, std::uint64_t sent);

  /// Everything read: closes, pairs, numbers. The builder is empty afterwards.
  std::unique_ptr<MemorySource> finish();

 private:
  struct Transfer {
    std::optional<std::size_t> start;  ///< index in the origin's stream
    std::optional<Event> end;
    std::optional<std::uint64_t> sent;
  };
  std::uint32_t call_place(std::string_view text);  ///< "a.c:40"
  void pair_transfers();
  void close_all();
  void close_top(Stream& stream);

  std::unique_ptr<MemorySource> source_;
  std::map<Key, Stream> streams_;
  std::map<std::string, RegionId, std::less<>> regions_;
  std::map<std::string, CallerId, std::less<>> callers_;  ///< by path
  std::map<std::string, CommId, std::less<>> communicators_;
  std::map<std::string, WindowId, std::less<>> windows_;
  std::map<std::string, GroupId, std::less<>> group_names_;
  std::map<std::vector<std::uint32_t>, GroupId> groups_;
  std::map<std::uint32_t, std::uint32_t> node_of_rank_;
  std::map<std::pair<Key, std::uint64_t>, Transfer> transfers_;
  using Names = std::map<std::string, std::uint32_t, std::less<>>;
  Names metrics_, files_, user_types_, strings_;
  std::map<std::string, std::string, std::less<>> region_groups_;
  std::map<std::string, Region, std::less<>> intervals_;
  std::map<Key, std::pair<LocationKind, std::string>> kinds_;
  std::optional<std::uint32_t> fixed_ranks_;
  std::uint32_t ranks_ = 0;
};

}  // namespace mora::trace::text
