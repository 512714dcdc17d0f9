/// The phases of the parser: a tree of what was entered below what, and where each process is in it.
///
/// Processes that come to a phase's border (its begin or end) wait there until all have come (Kotomatas 2018, 4.3.2).
/// If that can never be, because they wait at different borders, the phases are not global: that is an error, and the
/// parser goes on so that every record still stands in the phase that its own process was in. First goes the group
/// whose border none of the others is about to reach (a process with a phase of its own), then the smallest group, then
/// that of the lowest rank. Rule `phases-not-global` (docs/rules.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "predict/pattern/parse/output.h"
#include "predict/pattern/parse/parse.h"
#include "predict/pattern/parse/step.h"

namespace mora::predict {

/// Where one process is.
struct PhasePlace {
  std::uint32_t node = 0;
  bool waits = false, starts = false, ended = false;
  bool reported = false;     ///< reported that its trace ended too early
  std::uint32_t marker = 0;  ///< name of the phase whose border it waits at
};

class ParsePhases {
 public:
  ParsePhases(const StepSource& source, Names& names, ParseFiles& files, ParseResult& result);

  std::uint32_t file(std::uint32_t node) const { return nodes_[node].file; }
  std::vector<PhasePlace>& places() { return places_; }

  /// All processes wait or have ended: moves those that can go on, and calls `go` with each. False if all have ended.
  /// `reaches(stream, starts, name)`: the process is about to come to that border.
  bool cross(const std::function<bool(std::size_t, bool, std::uint32_t)>& reaches,
             const std::function<void(std::size_t)>& go);

  /// At the end of all traces.
  void finish();

 private:
  struct Node {
    std::uint32_t name, parent, file, depth;
    std::map<std::uint32_t, std::uint32_t> children = {};
  };
  using Group = std::vector<std::size_t>;  ///< streams

  /// Unequal borders: the group that goes first (see above).
  Group choose(const std::function<bool(std::size_t, bool, std::uint32_t)>& reaches) const;
  /// All of the group enter the phase.
  void start(const Group& group, std::uint32_t name);
  /// All of the group leave the phase; reports those that are not in it.
  void end(const Group& group, std::uint32_t name);
  void enter(std::uint32_t parent, std::uint32_t child);
  void leave(std::uint32_t node);
  /// The node of a phase below `parent`, made at its first entry.
  std::uint32_t child(std::uint32_t parent, std::uint32_t name);
  void violation(std::string text);
  void note_others(const Group& group, bool starts, std::uint32_t name);
  /// True if `node` is `outer` or below it.
  bool inside(std::uint32_t node, std::uint32_t outer) const;
  std::string ranks(const Group& group) const;
  std::string quoted(std::uint32_t name) const { return "\"" + names_->text(name) + "\""; }

  const StepSource* source_;
  Names* names_;
  ParseFiles* files_;
  ParseResult* result_;
  std::vector<Node> nodes_;
  std::vector<PhasePlace> places_;
};

}  // namespace mora::predict
