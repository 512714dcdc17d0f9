/// Uniting trees; the steps, their order and their cost are described in tree_match.h. (Mora's rule comparison.)
#include "report/compare/comparison/tree_match.h"

#include "base/names.h"
#include "base/text/source_place.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace mora::compare {
namespace {

using cube::CallPathKind;

constexpr std::size_t pairs_at_most = 65536;  // of moved ones
constexpr std::size_t renamed_pairs_at_most = 4096;
constexpr std::size_t letters_at_most = 128;
constexpr double similar_names = 0.6;

std::size_t bucket_of(std::string_view name) {  // FNV-1a
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash % FunctionSet().size();
}

/// "compute MPI_Send@a.c:12 -> MPI_Recv@a.c:20" without the places: lines move.
std::string without_places(const TreeNode& node) {
  if (node.kind != CallPathKind::compute) return node.name;
  std::string out;
  bool in_place = false;
  for (const char c : node.name) {
    if (c == '@') in_place = true;
    if (c == ' ') in_place = false;
    if (!in_place) out += c;
  }
  return out;
}

using LetterPairs = std::vector<std::pair<char, char>>;

/// Sorted; a single letter is a pair with nothing.
LetterPairs letter_pairs(const std::string& text) {
  LetterPairs pairs;
  const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
  const std::size_t size = std::min(text.size(), letters_at_most);
  if (size == 1) pairs.emplace_back(lower(text[0]), 0);
  for (std::size_t i = 0; i + 1 < size; ++i) pairs.emplace_back(lower(text[i]), lower(text[i + 1]));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

double similarity(const LetterPairs& a, const LetterPairs& b) {
  LetterPairs shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
  const std::size_t all = a.size() + b.size();
  return all == 0 ? 1 : 2.0 * static_cast<double>(shared.size()) / static_cast<double>(all);
}

/// The functions of each node's children are those of the node.
void collect_functions(Tree& tree) {
  for (std::size_t i = tree.size(); i-- > 0;) {
    TreeNode& node = tree[i];
    if (node.parent == none) continue;
    tree[node.parent].functions |= node.functions;
    if (node.kind == CallPathKind::mpi) tree[node.parent].functions.set(bucket_of(node.name));
  }
}

}  // namespace

const char* to_string(Match match) {
  static constexpr const char* names[] = {"missing", "exact", "moved", "renamed"};
  return name_in(names, match);
}

Tree call_tree(const cube::Cube& cube) {
  Tree tree;
  tree.reserve(cube.call_paths.size());
  for (const cube::CallPath& path : cube.call_paths) {
    tree.push_back(
        {path.parent == cube::no_id ? none : path.parent, path.kind, path.name, path.file, path.line, path.id, {}});
  }
  collect_functions(tree);
  return tree;
}

Tree interval_tree(const cube::Cube& cube, const analysis::IntervalTable& table) {
  const Tree calls = call_tree(cube);
  Tree tree;
  for (const analysis::Interval& interval : table.intervals) {
    TreeNode node{interval.parent,
                  interval.parent == SIZE_MAX ? CallPathKind::program : CallPathKind::interval,
                  interval.name,
                  interval.file,
                  interval.line,
                  interval.id,
                  {}};
    for (const cube::CallPathId root : interval.roots) node.functions |= calls[root].functions;
    tree.push_back(std::move(node));
  }
  return tree;
}

bool UnitedNode::is_exact() const {
  return std::all_of(match.begin(), match.end(), [](Match m) { return m == Match::exact || m == Match::missing; });
}

std::vector<std::pair<std::size_t, std::size_t>> nearest_in_order(const std::vector<std::uint32_t>& a,
                                                                  const std::vector<std::uint32_t>& b) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (a.size() > b.size()) {
    for (const auto& [j, i] : nearest_in_order(b, a)) pairs.emplace_back(i, j);
    return pairs;
  }
  const std::size_t n = a.size(), m = b.size();
  if (n == m || n * m > pairs_at_most) {
    for (std::size_t i = 0; i < n; ++i) pairs.emplace_back(i, i);
    return pairs;
  }
  // least[i][j]: pairing a[i …] with members of b[j …]; m - j >= n - i always.
  constexpr std::uint64_t impossible = UINT64_MAX;
  std::vector<std::uint64_t> least((n + 1) * (m + 1), impossible);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint64_t& { return least[i * (m + 1) + j]; };
  const auto distance = [&](std::size_t i, std::size_t j) {
    return static_cast<std::uint64_t>(a[i] > b[j] ? a[i] - b[j] : b[j] - a[i]);
  };
  for (std::size_t j = 0; j <= m; ++j) at(n, j) = 0;
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m - (n - i) + 1; j-- > 0;) {
      at(i, j) = std::min(at(i, j + 1), distance(i, j) + at(i + 1, j + 1));
    }
  }
  for (std::size_t i = 0, j = 0; i < n; ++j) {
    if (at(i, j) != distance(i, j) + at(i + 1, j + 1)) continue;
    pairs.emplace_back(i++, j);
  }
  return pairs;
}

namespace {

using Places = std::vector<std::size_t>;

/// Pairs the children of one matched pair of parents.
class Siblings {
 public:
  Siblings(const std::vector<UnitedNode>& united, const Tree& tree, const Places& left, const Places& right)
      : united_(united), tree_(tree), left_(left), right_(right) {
    partner_of_left_.resize(left.size(), none);
    partner_of_right_.resize(right.size(), none);
    match_of_right_.resize(right.size(), Match::missing);
  }

  void pair_up() {
    pair_by_place();
    pair_elsewhere();
    pair_renamed();
  }
  /// Index among the left siblings, or none.
  std::size_t partner(std::size_t right) const { return partner_of_right_[right]; }
  Match match(std::size_t right) const { return match_of_right_[right]; }

 private:
  const TreeNode& left(std::size_t i) const { return united_[left_[i]].node; }
  const TreeNode& right(std::size_t i) const { return tree_[right_[i]]; }
  void join(std::size_t l, std::size_t r, Match match) {
    partner_of_left_[l] = r;
    partner_of_right_[r] = l;
    match_of_right_[r] = match;
  }

  /// Groups what is left on both sides by key(node) and calls pair(left places, right places) for keys that both have.
  template <class Key, class Pair>
  void by(const Key& key, const Pair& pair) {
    std::map<decltype(key(left(0))), std::pair<Places, Places>> groups;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (partner_of_left_[i] == none) groups[key(left(i))].first.push_back(i);
    }
    for (std::size_t i = 0; i < right_.size(); ++i) {
      if (partner_of_right_[i] != none) continue;
      const auto group = groups.find(key(right(i)));
      if (group != groups.end()) group->second.second.push_back(i);
    }
    for (auto& [_, group] : groups) {
      if (!group.second.empty()) pair(group.first, group.second);
    }
  }
  void in_order(const Places& l, const Places& r, Match match) {
    for (std::size_t i = 0; i < std::min(l.size(), r.size()); ++i) join(l[i], r[i], match);
  }

  static bool is_equal(const TreeNode& a, const TreeNode& b) {
    if (a.kind == CallPathKind::program) return true;  // whatever it is called
    return a.name == b.name && a.line == b.line;       // the rest is the group's
  }

  void pair_by_place() {
    by(
        [](const TreeNode& n) {
          const bool is_program = n.kind == CallPathKind::program;
          return std::tuple(n.kind, is_program ? "" : without_places(n),
                            is_program ? "" : std::string(base_name(n.file)), n.id);
        },
        [this](Places& l, Places& r) {
          std::stable_sort(l.begin(), l.end(),
                           [&](std::size_t a, std::size_t b) { return left(a).line < left(b).line; });
          std::stable_sort(r.begin(), r.end(),
                           [&](std::size_t a, std::size_t b) { return right(a).line < right(b).line; });
          auto pairs = equal_first(l, r);
          const bool crosses = !std::is_sorted(pairs.begin(), pairs.end(),
                                               [](const auto& a, const auto& b) { return a.second < b.second; });
          if (crosses) pairs = nearest(l, r);
          for (const auto& [i, j] : pairs) {
            const bool exact = is_equal(left(l[i]), right(r[j]));
            join(l[i], r[j], exact ? Match::exact : Match::moved);
          }
        });
  }

  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;  // indices in the lists of a group

  Pairs nearest(const Places& l, const Places& r) const {
    std::vector<std::uint32_t> of_l, of_r;
    for (const std::size_t i : l) of_l.push_back(left(i).line);
    for (const std::size_t i : r) of_r.push_back(right(i).line);
    return nearest_in_order(of_l, of_r);
  }

  /// Equals with equals, the n-th with the n-th, then the others; in order of the first index.
  Pairs equal_first(const Places& l, const Places& r) const {
    std::map<std::pair<std::string, std::uint32_t>, Places> waiting;  // the program's name does not matter
    const auto key = [](const TreeNode& n) {
      return n.kind == CallPathKind::program ? std::pair(std::string(), std::uint32_t{0}) : std::pair(n.name, n.line);
    };
    for (std::size_t j = r.size(); j-- > 0;) waiting[key(right(r[j]))].push_back(j);
    Pairs pairs;
    std::vector<bool> is_taken(r.size());
    Places rest_l, rest_r, index_l, index_r;
    for (std::size_t i = 0; i < l.size(); ++i) {
      const auto found = waiting.find(key(left(l[i])));
      if (found == waiting.end() || found->second.empty()) {
        rest_l.push_back(l[i]);
        index_l.push_back(i);
        continue;
      }
      pairs.emplace_back(i, found->second.back());
      is_taken[found->second.back()] = true;
      found->second.pop_back();
    }
    for (std::size_t j = 0; j < r.size(); ++j) {
      if (is_taken[j]) continue;
      rest_r.push_back(r[j]);
      index_r.push_back(j);
    }
    for (const auto& [i, j] : nearest(rest_l, rest_r)) pairs.emplace_back(index_l[i], index_r[j]);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  void pair_elsewhere() {
    by([](const TreeNode& n) { return std::tuple(n.kind, without_places(n), n.id); },
       [this](const Places& l, const Places& r) { in_order(l, r, Match::moved); });
  }

  /// How many matched siblings stand before each, as the left place of the last of them.
  Places slots_of_left() const {
    Places slots;
    std::size_t last = none;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      slots.push_back(last);
      if (partner_of_left_[i] != none) last = i;
    }
    return slots;
  }
  Places slots_of_right() const {
    Places slots;
    std::size_t last = none;
    for (std::size_t i = 0; i < right_.size(); ++i) {
      slots.push_back(last);
      if (partner_of_right_[i] != none) last = partner_of_right_[i];
    }
    return slots;
  }

  void pair_renamed() {
    const Places left_slots = slots_of_left(), right_slots = slots_of_right();
    by([](const TreeNode& n) { return std::tuple(n.kind, n.id); },
       [&](Places& l, Places& r) {
         const CallPathKind kind = left(l[0]).kind;
         if (kind != CallPathKind::user && kind != CallPathKind::interval) return;
         if (l.size() * r.size() > renamed_pairs_at_most) return equal_structures(l, r, left_slots, right_slots);
         weigh(l, r, left_slots, right_slots);
       });
  }

  void equal_structures(const Places& l, const Places& r, const Places& left_slots, const Places& right_slots) {
    std::map<std::tuple<std::size_t, std::string>, Places> waiting;
    for (const std::size_t i : l) waiting[{left_slots[i], left(i).functions.to_string()}].push_back(i);
    for (auto& [_, places] : waiting) std::reverse(places.begin(), places.end());
    for (const std::size_t i : r) {
      if (right(i).functions.none()) continue;
      const auto found = waiting.find({right_slots[i], right(i).functions.to_string()});
      if (found == waiting.end() || found->second.empty()) continue;
      join(found->second.back(), i, Match::renamed);
      found->second.pop_back();
    }
  }

  void weigh(const Places& l, const Places& r, const Places& left_slots, const Places& right_slots) {
    struct Candidate {
      double score;
      std::size_t l, r;
    };
    std::map<std::string, std::pair<std::size_t, std::size_t>> structures;  // how many on either side
    std::vector<LetterPairs> of_l, of_r;
    for (const std::size_t i : l) {
      ++structures[left(i).functions.to_string()].first;
      of_l.push_back(letter_pairs(left(i).name));
    }
    for (const std::size_t i : r) {
      ++structures[right(i).functions.to_string()].second;
      of_r.push_back(letter_pairs(right(i).name));
    }
    std::vector<Candidate> candidates;
    for (std::size_t a = 0; a < l.size(); ++a) {
      const FunctionSet& functions = left(l[a]).functions;
      const bool is_only =
          functions.any() && structures[functions.to_string()] == std::pair(std::size_t{1}, std::size_t{1});
      for (std::size_t b = 0; b < r.size(); ++b) {
        const double name = similarity(of_l[a], of_r[b]);
        const bool same = functions.any() && functions == right(r[b]).functions;
        const bool same_slot = left_slots[l[a]] == right_slots[r[b]];
        if (name < similar_names && !(same && (same_slot || is_only))) continue;
        candidates.push_back({4 * name + (same ? 2 : 0) + (same_slot ? 1 : 0), l[a], r[b]});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    for (const Candidate& candidate : candidates) {
      if (partner_of_left_[candidate.l] == none && partner_of_right_[candidate.r] == none)
        join(candidate.l, candidate.r, Match::renamed);
    }
  }

  const std::vector<UnitedNode>& united_;
  const Tree& tree_;
  const Places& left_;
  const Places& right_;
  Places partner_of_left_, partner_of_right_;
  std::vector<Match> match_of_right_;
};

}  // namespace

void UnitedTree::add(const Tree& tree) {
  const std::size_t run = runs_++;
  for (UnitedNode& node : nodes_) {
    node.own.push_back(none);
    node.match.push_back(Match::missing);
  }
  std::vector<Places> children(tree.size() + 1);
  for (std::size_t i = 0; i < tree.size(); ++i)
    children[tree[i].parent < i ? tree[i].parent : tree.size()].push_back(i);

  std::vector<std::size_t> united_of(tree.size(), none);
  const auto pair_children = [&](std::size_t united_parent, const Places& right) {
    const Places left = united_parent == none ? roots_ : nodes_[united_parent].children;
    Siblings siblings(nodes_, tree, left, right);
    siblings.pair_up();
    for (std::size_t i = 0; i < right.size(); ++i) {
      std::size_t place = none;
      if (siblings.partner(i) != none) {
        place = left[siblings.partner(i)];
        nodes_[place].match[run] = siblings.match(i);
      } else {
        place = nodes_.size();
        UnitedNode fresh;
        fresh.node = tree[right[i]];
        fresh.node.parent = united_parent;
        fresh.own.resize(runs_, none);
        fresh.match.resize(runs_, Match::missing);
        fresh.match[run] = Match::exact;
        nodes_.push_back(std::move(fresh));
        (united_parent == none ? roots_ : nodes_[united_parent].children).push_back(place);
      }
      nodes_[place].own[run] = right[i];
      united_of[right[i]] = place;
    }
  };
  pair_children(none, children[tree.size()]);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (!children[i].empty()) pair_children(united_of[i], children[i]);
  }
}

std::vector<std::size_t> UnitedTree::preorder() const {
  std::vector<std::size_t> order, stack(roots_.rbegin(), roots_.rend());
  while (!stack.empty()) {
    const std::size_t i = stack.back();
    stack.pop_back();
    order.push_back(i);
    stack.insert(stack.end(), nodes_[i].children.rbegin(), nodes_[i].children.rend());
  }
  return order;
}

}  // namespace mora::compare
