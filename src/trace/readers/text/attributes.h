/// The attributes that may follow a statement's name: `to 1 bytes 8 tag 3 w0 rma1`. They are taken from left to right;
/// which ones a statement allows is the caller's list. One that is not allowed, stands twice or has no value where one
/// is needed is an error at its column, with what may stand there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/event.h"
#include "trace/readers/text/lexer.h"

namespace mora::trace::text {

enum class Key : std::uint8_t {
  to,
  from,
  bytes,
  sent,
  recvd,
  tag,
  rtag,
  comm,
  req,
  root,
  counts,
  window,
  group,
  assertion,
  synex,
  lock,
  id,
  end,
  cancelled,
  file,
  threads,
  local,
  dests,
  sources,
  operation,
  offset,
  extent,
  collective,
  interval,  ///< `id` of a region that is an interval
  level,
  polls,
  team,
  reduction,
};

/// A rank given by a statement; `null` is MPI_PROC_NULL.
struct Partner {
  std::uint32_t rank = 0;
  bool null = false;
};

/// The attributes of one statement, checked; what is not given is empty.
struct Attributes {
  std::map<Key, Word> given;  ///< where each stood
  std::optional<Partner> to, from;
  std::optional<std::uint64_t> bytes, sent, recvd, id, root, synex, assertion, threads, offset, extent;
  std::optional<std::int32_t> tag, rtag, interval, level, polls, team;
  std::vector<Word> requests;
  std::optional<Word> comm, window, group, file, operation;
  std::optional<Nanoseconds> end;
  std::vector<std::uint64_t> counts;
  /// Neighbours: world rank, bytes.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> dests, sources;
  Reduction reduction = Reduction::unknown;
  bool exclusive = true;
  bool cancelled = false;
  bool local = false;
  bool collective = false;
};

/// What reading attributes needs to know of the text around.
struct AttributeContext {
  const std::string& file;
  Nanoseconds unit;
  /// Whether a bare word names a window.
  bool (*is_window)(const void* who, std::string_view word);
  const void* who;
};

/// Reads words[first..]. `allowed` limits the keys; `@N` sets the partner that is allowed (`to` before `from`). Errors
/// (unreadable): syntax_error() with the place of the word.
Result<Attributes> parse_attributes(const Statement& statement, std::size_t first, const std::vector<Key>& allowed,
                                    const AttributeContext& context);

/// "1:8,2:0" into pairs of rank and bytes (8 if left out); empty on a syntax error.
std::vector<std::pair<std::uint64_t, std::uint64_t>> parse_neighbors(std::string_view text);

/// "0,2,1" into numbers; empty on a syntax error.
std::vector<std::uint64_t> parse_list(std::string_view text);

}  // namespace mora::trace::text
