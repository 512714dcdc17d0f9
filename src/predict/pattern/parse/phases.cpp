/// The tree of phases of all processes (phases.h). Processes that wait at a border form groups by border; when
/// every process waits or has ended, one group goes on. Cost: each border is handled once for each process.
#include "predict/pattern/parse/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace mora::predict {

ParsePhases::ParsePhases(const StepSource& source, Names& names, ParseFiles& files, ParseResult& result)
    : source_(&source), names_(&names), files_(&files), result_(&result), places_(source.streams()) {
  nodes_.push_back({.name = 0, .parent = 0, .file = 0, .depth = 0});
  auto& global = result.phases.emplace_back();
  global.name = "global";
  global.file = files.name(0);
  global.visits = 1;
}

void ParsePhases::violation(std::string text) {
  constexpr std::size_t kept = 100;
  if (result_->violation_count++ < kept) result_->violations.push_back(std::move(text));
}

/// "rank 3", "ranks 0-2, 5".
std::string ParsePhases::ranks(const Group& group) const {
  std::string text = group.size() == 1 ? "rank " : "ranks ";
  constexpr int named = 8;
  int ranges = 0;
  for (std::size_t i = 0; i < group.size();) {
    std::size_t last = i;
    while (last + 1 < group.size() && source_->rank(group[last + 1]) == source_->rank(group[last]) + 1) ++last;
    if (ranges++ == named) return text + fmt::format(", … ({} in all)", group.size());
    if (i != 0) text += ", ";
    text += std::to_string(source_->rank(group[i]));
    if (last != i) text += "-" + std::to_string(source_->rank(group[last]));
    i = last + 1;
  }
  return text;
}

bool ParsePhases::cross(const std::function<bool(std::size_t, bool, std::uint32_t)>& reaches,
                        const std::function<void(std::size_t)>& go) {
  const bool all_ended = std::none_of(places_.begin(), places_.end(), [](const auto& p) { return p.waits; });
  if (all_ended) return false;
  Group group = choose(reaches);
  const PhasePlace at = places_[group[0]];
  note_others(group, at.starts, at.marker);
  if (at.starts)
    start(group, at.marker);
  else
    end(group, at.marker);
  for (const std::size_t stream : group) {
    places_[stream].waits = false;
    go(stream);
  }
  return true;
}

ParsePhases::Group ParsePhases::choose(const std::function<bool(std::size_t, bool, std::uint32_t)>& reaches) const {
  std::map<std::pair<bool, std::uint32_t>, Group> groups;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (places_[i].waits) groups[{places_[i].starts, places_[i].marker}].push_back(i);
  if (groups.size() == 1) return groups.begin()->second;
  const auto awaited = [&](const auto& group) {  // other processes come to this border, too
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (places_[i].waits && std::pair(places_[i].starts, places_[i].marker) != group.first &&
          reaches(i, group.first.first, group.first.second))
        return true;
    return false;
  };
  const Group* best = nullptr;
  std::tuple<bool, std::size_t, std::size_t> least;
  for (const auto& group : groups) {
    const std::tuple rank(awaited(group), group.second.size(), group.second[0]);
    if (best == nullptr || rank < least) {
      best = &group.second;
      least = rank;
    }
  }
  return *best;
}

bool ParsePhases::inside(std::uint32_t node, std::uint32_t outer) const {
  while (nodes_[node].depth > nodes_[outer].depth) node = nodes_[node].parent;
  return node == outer;
}

/// Notes processes that are missing at this border: of a begin all others, of an end those that are still inside.
void ParsePhases::note_others(const Group& group, bool starts, std::uint32_t name) {
  Group absent;
  bool is_new = false;
  std::size_t at = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    PhasePlace& place = places_[i];
    if (at < group.size() && group[at] == i) {
      ++at;
      continue;
    }
    if (!starts && (place.ended || !inside(place.node, places_[group[0]].node)))
      continue;  // finish() reports those that ended
    absent.push_back(i);
    is_new |= !place.reported;
    place.reported = place.ended;
  }
  if (is_new)
    violation(fmt::format("phase {} is {} by {} but not by {}", quoted(name), starts ? "begun" : "ended", ranks(group),
                          ranks(absent)));
}

std::uint32_t ParsePhases::child(std::uint32_t parent, std::uint32_t name) {
  if (const auto at = nodes_[parent].children.find(name); at != nodes_[parent].children.end()) return at->second;
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  const std::string& text = names_->text(name);
  const std::uint32_t file = files_->of_phase(text);
  nodes_.push_back({.name = name, .parent = parent, .file = file, .depth = nodes_[parent].depth + 1});
  nodes_[parent].children[name] = number;
  auto& phase = result_->phases.emplace_back();
  phase.name = text;
  phase.file = files_->name(file);
  phase.parent = parent;
  return number;
}

void ParsePhases::enter(std::uint32_t parent, std::uint32_t node) {
  ++result_->phases[node].visits;
  files_->line(nodes_[parent].file, "Going to " + files_->name(nodes_[node].file) + "\n");
  files_->line(nodes_[node].file, "Coming from " + files_->name(nodes_[parent].file) + "\n");
}

void ParsePhases::leave(std::uint32_t node) {
  const std::uint32_t parent = nodes_[node].parent;
  files_->line(nodes_[node].file, "Returning to " + files_->name(nodes_[parent].file) + "\n");
  files_->line(nodes_[parent].file, "Returned from " + files_->name(nodes_[node].file) + "\n");
}

/// All of the group enter the phase where they are; that is one place unless something was wrong before.
void ParsePhases::start(const Group& group, std::uint32_t name) {
  std::map<std::uint32_t, Group> places;
  for (const std::size_t stream : group) places[places_[stream].node].push_back(stream);
  std::uint32_t common = places.begin()->first;
  for (const auto& [node, streams] : places)
    while (!inside(node, common)) common = nodes_[common].parent;
  // A phase that some processes did not end ends here; that was reported when the others ended it.
  for (const auto& [node, streams] : places)
    if (node != common)
      violation(fmt::format("phase {} is begun by {} inside phase {}, which others are not in", quoted(name),
                            ranks(streams), quoted(nodes_[node].name)));
  const std::uint32_t node = child(common, name);
  enter(common, node);
  for (const std::size_t stream : group) places_[stream].node = node;
}

void ParsePhases::end(const Group& group, std::uint32_t name) {
  std::map<std::uint32_t, Group> places;
  for (const std::size_t stream : group) places[places_[stream].node].push_back(stream);
  std::vector<std::uint32_t> left;  // one "Returning to" for all that end the same phase together
  for (const auto& [node, streams] : places) {
    std::uint32_t at = node;
    while (at != 0 && nodes_[at].name != name) at = nodes_[at].parent;
    if (at == 0) {
      violation(fmt::format("phase {} is ended by {} without having been begun", quoted(name), ranks(streams)));
      continue;
    }
    if (at != node)
      violation(fmt::format(
          "phase {} is ended by {} inside phase {}, which was begun later and is still open: phases may not cross",
          quoted(name), ranks(streams), quoted(nodes_[node].name)));
    for (std::uint32_t open = node;; open = nodes_[open].parent) {
      if (std::find(left.begin(), left.end(), open) == left.end()) {
        left.push_back(open);
        leave(open);
      }
      if (open == at) break;
    }
    for (const std::size_t stream : streams) places_[stream].node = nodes_[at].parent;
  }
}

void ParsePhases::finish() {
  std::map<std::uint32_t, Group> open;
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (std::uint32_t node = places_[i].node; node != 0; node = nodes_[node].parent) open[node].push_back(i);
  // Children have larger numbers than their parents: the innermost first.
  for (auto node = open.rbegin(); node != open.rend(); ++node) {
    violation(fmt::format("phase {} is never ended by {}", quoted(nodes_[node->first].name), ranks(node->second)));
    leave(node->first);
  }
}

}  // namespace mora::predict
