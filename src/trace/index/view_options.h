/// What a view is to show, and where its index may be kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/interruption.h"
#include "trace/index/event_store.h"

namespace mora::trace {

enum class RmaModel : std::uint8_t { basic, extended };

/// Looks at a build from another thread, and ends it.
struct BuildWatch {
  ReadBytes bytes;                     ///< of files that are read whole before there are events
  std::atomic<std::uint64_t> done{0};  ///< events read and events linked, so far
  std::atomic<std::uint64_t> all{0};   ///< of how many; 0 = not known
  /// Set from outside: the build ends soon, with an Error.
  std::atomic<bool> stop{false};
  std::function<void(std::uint64_t done, std::uint64_t all)> changed;  ///< called from any thread; may be empty

  void advance(std::uint64_t events) {
    const std::uint64_t now = done.fetch_add(events, std::memory_order_relaxed) + events;
    if (changed) changed(now, all);
  }
};

/// For who wants the first events only, such as `mora print --limit 2`: the index then holds the beginning of the
/// trace, and is kept nowhere. Positions and links of what it holds are those of the whole index.
struct Beginning {
  std::uint64_t events = UINT64_MAX;                               ///< so many of those that `accepts`
  Nanoseconds until = INT64_MAX;                                   ///< what is later is not wanted
  std::function<bool(LocationId, EarlType, Nanoseconds)> accepts;  ///< called from several threads
  /// Written: how many events the trace has in all. View::size() is smaller if something was left out; rows about
  /// messages and transfers without partner are then left out, too.
  std::atomic<std::uint64_t> all{0};
};

struct ViewOptions {
  RmaModel model = RmaModel::extended;
  /// Where an index file may be kept; empty: only in memory or in an unlinked temporary file. view/view_cache.h
  /// chooses.
  std::string index_file;
  /// Distinguishes the trace's present content from an older one (size, times of its files); stored in the index.
  std::uint64_t fingerprint = 0;
  /// A view of fewer events is never kept in a file: making it again, in memory, is as fast as opening the file.
  std::uint64_t keep_from = 200'000;
  /// Bytes: what the index is made of is kept in memory up to a fifth of it, else in $TMPDIR. 0: 512 MiB of them.
  std::uint64_t memory = 0;
  unsigned workers = 0;            ///< 0 = usable cores
  BuildWatch* watch = nullptr;     ///< must live until the view is made
  Beginning* beginning = nullptr;  ///< the same; null: all
};

}  // namespace mora::trace
