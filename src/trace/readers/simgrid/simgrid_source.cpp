/// Source: Desprez 2011; the order of arguments is SimGrid 3.32's, whose replay defines it.
/// Idea: each rank has a clock that only computation moves; an action becomes the events of one call of no duration.
/// SimGrid's `waitall` completes all requests of the rank that are open. Collectives are those of MPI_COMM_WORLD: the
/// format knows no other communicator, so a trace that splits one is refused.
/// Cost: linear in the files. Memory: one file, the open requests, and the events (event_spool.h).
#include "trace/readers/simgrid/simgrid_source.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/numbers/read_number.h"
#include "trace/readers/building/reading_damage.h"
#include "trace/readers/building/untimed_calls.h"

namespace mora::trace {
namespace {

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  Words words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

bool begins_with_init(std::string_view text) {
  const Words words = words_of(text.substr(0, text.find('\n')));
  std::uint32_t rank = 0;
  return words.size() >= 2 && read_number(words[0], rank) && words[1] == "init";
}

/// A file that a list names; empty: there is none.
std::string listed_file(const std::string& list, std::string_view name) {
  if (name.empty()) return {};
  const std::string given(name), beside = (std::filesystem::path(list).parent_path() / given).string();
  std::error_code ignored;
  for (const std::string& path : {given, beside}) {
    if (std::filesystem::is_regular_file(path, ignored)) return path;
  }
  return {};
}

std::string_view first_word(std::string_view text) {
  const Words words = words_of(text.substr(0, text.find('\n')));
  return words.size() == 1 ? words[0] : std::string_view{};
}

/// Bytes of SimGrid's numbers of data types.
constexpr std::uint64_t type_bytes[] = {8, 4, 1, 2, 8, 4, 1};

struct CollectiveAction {
  std::string_view name, function;
  Collective collective;
  std::size_t root = 0, type = 0, flops = 0;  ///< indices of words; 0: none
};
constexpr CollectiveAction collective_actions[] = {
    {"barrier", "MPI_Barrier", Collective::barrier, 0, 0, 0},
    {"bcast", "MPI_Bcast", Collective::bcast, 3, 4, 0},
    {"reduce", "MPI_Reduce", Collective::reduce, 4, 5, 3},
    {"allreduce", "MPI_Allreduce", Collective::allreduce, 0, 4, 3},
    {"alltoall", "MPI_Alltoall", Collective::alltoall, 0, 4, 0},
    {"allgather", "MPI_Allgather", Collective::allgather, 0, 4, 0},
    {"gather", "MPI_Gather", Collective::gather, 4, 5, 0},
    {"scatter", "MPI_Scatter", Collective::scatter, 4, 5, 0},
};

class SimgridReader {
 public:
  explicit SimgridReader(std::uint64_t bytes) : limit_(believable_processes(bytes)) {}

  Result<void> read(std::string_view content, const std::string& file) {
    for (std::uint64_t number = 1; !content.empty(); ++number) {
      const auto end = std::min(content.find('\n'), content.size());
      const Words words = words_of(content.substr(0, end));
      content.remove_prefix(std::min(end + 1, content.size()));
      if (words.empty() || words[0].front() == '#') continue;
      if (const std::string why = action(words); !why.empty())
        return fail(ErrorKind::unreadable, "cannot read the time-independent trace", fmt::format("{}:{}", file, number),
                    why, "docs/user/predict.md lists the actions that are read");
    }
    return {};
  }

  Result<std::unique_ptr<Source>> finish(const std::string& file) {
    if (ranks_.empty() || highest_ >= ranks_.size())
      return fail(ErrorKind::unreadable, "cannot read the time-independent trace", file,
                  fmt::format("rank {} has no actions", highest_));
    // The sizes of collectives need the number of ranks.
    MORA_TRY(auto source, calls_.builder().finish());
    return std::unique_ptr<Source>(std::move(source));
  }
  void set_ranks(std::uint64_t ranks) { size_ = ranks; }

 private:
  struct Rank {
    std::uint64_t default_bytes = 1;
    std::deque<UntimedCalls::Request> open;
  };

  /// Empty: it is done; else why not.
  std::string action(const Words& words) {
    std::uint64_t rank = 0;
    if (words.size() < 2 || !read_number(words[0], rank) || rank >= limit_) return "a line is: rank action arguments";
    if (rank >= ranks_.size()) ranks_.resize(rank + 1);
    rank_ = static_cast<std::uint32_t>(rank);
    calls_.add(rank_);
    Rank& r = ranks_[rank];
    const std::string_view name = words[1];
    if (name == "init") {
      r.default_bytes = words.size() > 2 ? type_bytes[0] : 1;
      return call("MPI_Init", {});
    }
    if (name == "finalize") return call("MPI_Finalize", {});
    if (name == "comm_size" || name == "comm_dup" || name == "location") return {};
    if (name == "compute" || name == "sleep") return compute(words, 2, name == "sleep" ? 1e9 : 1);
    if (name == "send" || name == "isend" || name == "recv" || name == "irecv") return message(r, words);
    if (name == "wait") return wait(r, words);
    if (name == "waitall") {
      std::vector<Event> events;
      for (const auto& request : r.open) events.push_back(UntimedCalls::completion(request));
      r.open.clear();
      return call("MPI_Waitall", events);
    }
    for (const CollectiveAction& c : collective_actions) {
      if (name == c.name) return collective(r, c, words);
    }
    return fmt::format("the action {} is not read", name);
  }

  std::string call(std::string_view function, std::vector<Event> events) {
    calls_.call(rank_, function, std::move(events));
    return {};
  }

  static bool amount(const Words& words, std::size_t at, double& value) {
    return at < words.size() && read_number(words[at], value) && value >= 0 && value <= UntimedCalls::longest;
  }

  std::string compute(const Words& words, std::size_t at, double nanoseconds) {
    double value = 0;
    if (!amount(words, at, value) || value * nanoseconds > UntimedCalls::longest)
      return "an amount of computation is missing";
    return calls_.compute(rank_, std::llround(value * nanoseconds)) ? "" : "the times are too large";
  }

  /// Elements of the word, in bytes; `type`: index of the data type's word, if it is there.
  static bool bytes_of(const Rank& r, const Words& words, std::size_t at, std::size_t type, std::uint64_t& bytes) {
    double count = 0;
    std::uint64_t number = 0;
    if (!amount(words, at, count)) return false;
    std::uint64_t element = r.default_bytes;
    if (type < words.size()) {
      if (!read_number(words[type], number) || number >= std::size(type_bytes)) return false;
      element = type_bytes[number];
    }
    bytes = static_cast<std::uint64_t>(std::llround(count)) * element;
    return true;
  }

  bool peer(const Words& words, std::size_t at, std::uint32_t& rank) {
    if (at >= words.size() || !read_number(words[at], rank) || rank >= limit_) return false;
    highest_ = std::max<std::uint64_t>(highest_, rank);
    return true;
  }

  std::string message(Rank& r, const Words& words) {
    Event e;
    if (!peer(words, 2, e.peer) || words.size() < 5 || !read_number(words[3], e.tag) ||
        !bytes_of(r, words, 4, 5, e.bytes))
      return "a message is: rank action partner tag size type, with types 0 to 6";
    const bool is_send = words[1] == "send" || words[1] == "isend";
    if (words[1] == "send" || words[1] == "recv")
      calls_.transfer(rank_, is_send, e);
    else
      r.open.push_back(calls_.begin(rank_, is_send, e));
    return {};
  }

  std::string wait(Rank& r, const Words& words) {
    std::uint32_t from = 0, to = 0;
    std::int32_t tag = 0;
    if (!peer(words, 2, from) || !peer(words, 3, to) || words.size() < 5 || !read_number(words[4], tag))
      return "a wait is: rank wait from to tag";
    // Of a message to itself the receive comes first: the format does not say which end is meant.
    for (const bool is_send : {false, true}) {
      if ((is_send ? from : to) != rank_) continue;
      const auto at = std::find_if(r.open.begin(), r.open.end(), [&](const UntimedCalls::Request& request) {
        return request.is_send == is_send && request.message.tag == tag &&
               request.message.peer == (is_send ? to : from);
      });
      if (at == r.open.end()) continue;
      const Event done = UntimedCalls::completion(*at);
      r.open.erase(at);
      return call("MPI_Wait", {done});
    }
    return "no request of this message is open";
  }

  std::string collective(Rank& r, const CollectiveAction& c, const Words& words) {
    Event e;
    e.kind = EventKind::collective_end;
    e.collective = c.collective;
    e.comm = calls_.builder().world();
    std::uint64_t block = 0;
    if (c.collective != Collective::barrier && !bytes_of(r, words, 2, c.type, block))
      return "a size, or a data type from 0 to 6, is missing";
    if (c.root != 0) {
      e.root = 0;
      if (c.root < words.size() && !peer(words, c.root, e.root)) return "the root is no rank";
    }
    if (block > INT64_MAX / std::max<std::uint64_t>(size_, 1)) return "the sizes are too large";
    const std::uint64_t all = block * size_;
    switch (mpi::shape(c.collective)) {
      case mpi::CollectiveShape::one_to_all:
        e.bytes = e.root == rank_ ? all : 0;
        e.received = block;
        break;
      case mpi::CollectiveShape::all_to_one:
        e.bytes = block;
        e.received = e.root == rank_ ? all : 0;
        break;
      default:
        e.bytes = e.received = all;
    }
    Event begin;
    begin.kind = EventKind::collective_begin;
    call(c.function, {begin, e});
    return c.flops == 0 ? std::string{} : compute(words, c.flops, 1);
  }

  const std::uint64_t limit_;
  UntimedCalls calls_{"time-independent trace of SimGrid"};
  std::vector<Rank> ranks_;
  std::uint64_t highest_ = 0, size_ = 0;
  std::uint32_t rank_ = 0;  ///< of the action at hand
};

/// How many ranks the actions of one file are of.
std::uint64_t ranks_in(std::string_view content) {
  std::uint64_t ranks = 0;
  while (!content.empty()) {
    const auto end = std::min(content.find('\n'), content.size());
    std::uint64_t rank = 0;
    const Words words = words_of(content.substr(0, end));
    if (!words.empty() && read_number(words[0], rank)) ranks = std::max(ranks, rank + 1);
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return ranks;
}

}  // namespace

bool is_simgrid(const std::string& path, std::string_view start) {
  if (begins_with_init(start)) return true;
  const std::string named = listed_file(path, first_word(start));
  if (named.empty()) return false;
  std::ifstream file(named);
  std::string line;
  return std::getline(file, line) && begins_with_init(line);
}

Result<std::unique_ptr<Source>> read_simgrid(std::string_view content, const std::string& name) {
  SimgridReader reader(content.size());
  reader.set_ranks(ranks_in(content));
  MORA_CHECK_OK(reader.read(content, name));
  return reader.finish(name);
}

Result<std::unique_ptr<Source>> open_simgrid(const std::string& path) {
  MORA_TRY(const std::string first, read_file(path));
  if (begins_with_init(first)) return read_simgrid(first, path);
  std::vector<std::string> files;
  std::uint64_t bytes = first.size();
  for (std::string_view rest = first; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view name = first_word(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (name.empty()) continue;
    files.push_back(listed_file(path, name));
    if (files.back().empty())
      return fail(ErrorKind::unreadable, "cannot read the time-independent trace", path,
                  fmt::format("there is no file {}", name), "start Mora where the list's names begin");
    std::error_code ignored;
    bytes += std::filesystem::file_size(files.back(), ignored);
  }
  SimgridReader reader(bytes);
  reader.set_ranks(files.size());
  for (const std::string& file : files) {
    MORA_TRY(const std::string content, read_file(file));
    MORA_CHECK_OK(reader.read(content, file));
  }
  return reader.finish(path);
}

}  // namespace mora::trace
