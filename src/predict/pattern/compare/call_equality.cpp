/// Equality of two calls, field by field. Results are cached by the pair of distinct calls, so that comparing two
/// traces costs a hash look-up per executed call; the cache is valid as pairs of communicators and windows never
/// change.
#include "predict/pattern/compare/call_equality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

namespace mora::predict {

bool CallEquality::because(bool good, const char* what) {
  if (!good && why_.empty()) why_ = what;
  return good;
}

bool CallEquality::equal(const Call& a, const Call& b) {
  if (a.operation != b.operation) return false;
  const auto kind = info(a.operation).kind;
  const bool matched = a.operation == Operation::mrecv || a.operation == Operation::imrecv;
  const bool loose = matched && any_probe_;
  const bool any_source = (a.posted_any_source && b.posted_any_source) || loose;
  const bool any_tag = (a.posted_any_tag && b.posted_any_tag) || loose;
  // A sendrecv's source is peer2, a receive's peer.
  const bool replies = kind == OperationClass::sendrecv;
  bool good = because(a.in_place == b.in_place, "MPI_IN_PLACE differs");
  good &= because(a.thread == b.thread, "the thread differs");
  good &=
      because(a.posted_any_source == b.posted_any_source && a.posted_any_tag == b.posted_any_tag, "a wildcard differs");
  good &= because(communicators_equal(a.communicator, b.communicator), "the communicators have different members");
  good &= because((any_source && !replies) || a.peer == b.peer,
                  kind == OperationClass::rooted ? "the root differs" : "the peer differs");
  good &= because((any_tag && !replies) || a.tag == b.tag, "the tag differs");
  good &= because((any_source && replies) || a.peer2 == b.peer2, "the source differs");
  good &= because((any_tag && replies) || a.tag2 == b.tag2,
                  kind == OperationClass::communicator ? "the key differs" : "the tag of the receive differs");
  good &= payloads_equal(a.sent, b.sent) && payloads_equal(a.received, b.received);
  good &= because(vectors_equal(a.sent_vector, b.sent_vector) && vectors_equal(a.received_vector, b.received_vector),
                  "the counts per rank differ");
  good &= arguments_equal(a, b) && completions_equal(a, b);
  return good;
}

template <class Alike>
bool CallEquality::paired(Pairs& pairs, std::uint32_t i, std::uint32_t j, Alike alike) const {
  if (i == no_id || j == no_id) return i == j;
  if (all_paired_) {
    const auto known = pairs.forth.find(i);
    return known != pairs.forth.end() && known->second == j;
  }
  const auto [at, added] = pairs.forth.try_emplace(i, j);
  if (!added) return at->second == j;
  const auto [back, new_back] = pairs.back.try_emplace(j, i);
  return new_back && alike();
}

bool CallEquality::communicators_equal(std::uint32_t i, std::uint32_t j) {
  return paired(communicators_, i, j, [&] {
    const auto &all = real_.definitions.communicators, &other = dry_.definitions.communicators;
    return i < all.size() && j < other.size() && all[i].members == other[j].members &&
           all[i].remote == other[j].remote && all[i].made_by == other[j].made_by;
  });
}

bool CallEquality::windows_equal(std::uint32_t i, std::uint32_t j) {
  return paired(windows_, i, j, [&] {
    const auto &all = real_.definitions.windows, &other = dry_.definitions.windows;
    return i < all.size() && j < other.size() && communicators_equal(all[i].communicator, other[j].communicator);
  });
}

bool CallEquality::payloads_equal(const Payload& a, const Payload& b) {
  if (!because(a.count == b.count, "the count differs")) return false;
  const auto &all = real_.definitions.datatypes, &other = dry_.definitions.datatypes;
  if (a.type >= all.size() || b.type >= other.size())
    return because((a.type >= all.size()) == (b.type >= other.size()), "the datatype differs");
  return because(all[a.type] == other[b.type], "the datatype differs");
}

bool CallEquality::vectors_equal(std::uint32_t i, std::uint32_t j) const {
  const auto &all = real_rank_.vectors, &other = dry_rank_.vectors;
  if (i >= all.size() || j >= other.size()) return (i >= all.size()) == (j >= other.size());
  return all[i] == other[j];
}

bool CallEquality::arguments_equal(const Call& a, const Call& b) {
  switch (info(a.operation).kind) {
    case OperationClass::phase: {
      const auto &all = real_.definitions.phases, &other = dry_.definitions.phases;
      return because(a.argument < all.size() && b.argument < other.size() && all[a.argument] == other[b.argument],
                     "the phase differs");
    }
    case OperationClass::communicator:
      return because(communicators_equal(a.argument, b.argument), "what is made has different members");
    case OperationClass::window:
    case OperationClass::one_sided:
      return because(windows_equal(a.argument, b.argument), "the window differs");
    default:
      break;
  }
  if (a.operation == Operation::other) return because(a.argument == b.argument, "the function differs");
  return choices_ || because(a.argument == b.argument, "the request differs");
}

bool CallEquality::completions_equal(const Call& a, const Call& b) {
  if (choices_) return true;
  const auto &all = real_rank_.completions, &other = dry_rank_.completions;
  const bool none_a = a.completions >= all.size(), none_b = b.completions >= other.size();
  if (none_a || none_b) return because(none_a == none_b, "what is completed differs");
  const auto &x = all[a.completions], &y = other[b.completions];
  if (!because(x.size() == y.size(), "the number of completed requests differs")) return false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!because(x[i].age == y[i].age && x[i].cancelled == y[i].cancelled, "other requests are completed"))
      return false;
  return true;
}

namespace {

std::vector<std::uint32_t> by_event(const std::vector<Communicator>& all) {
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto event = [&](std::uint32_t i) {
    return all[i].event == no_id ? -1 : static_cast<std::int64_t>(all[i].event);
  };
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return event(i) < event(j); });
  return order;
}

std::string likeness(const Communicator& c, std::uint32_t parent) {
  return fmt::format("{} {} {} / {}", static_cast<int>(c.made_by), parent, fmt::join(c.members, ","),
                     fmt::join(c.remote, ","));
}

}  // namespace

void CallEquality::pair_all() {
  all_paired_ = true;
  const auto &all = real_.definitions.communicators, &other = dry_.definitions.communicators;
  std::map<std::string, std::vector<std::uint32_t>> waiting;
  for (const auto i : by_event(all)) waiting[likeness(all[i], all[i].parent)].push_back(i);
  std::map<std::string, std::size_t> taken;
  for (const auto j : by_event(other)) {
    const auto parent = communicators_.back.find(other[j].parent);
    if (other[j].parent != no_id && parent == communicators_.back.end()) continue;
    const auto key = likeness(other[j], other[j].parent == no_id ? no_id : parent->second);
    const auto number = taken[key]++;
    const auto found = waiting.find(key);
    if (found == waiting.end() || number >= found->second.size()) continue;
    communicators_.forth[found->second[number]] = j;
    communicators_.back[j] = found->second[number];
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> windows;  // of a dry communicator
  for (std::uint32_t j = 0; j < dry_.definitions.windows.size(); ++j)
    windows[dry_.definitions.windows[j].communicator].push_back(j);
  std::map<std::uint32_t, std::size_t> used;
  for (std::uint32_t i = 0; i < real_.definitions.windows.size(); ++i) {
    const auto pair = communicators_.forth.find(real_.definitions.windows[i].communicator);
    if (pair == communicators_.forth.end()) continue;
    const auto number = used[pair->second]++;
    const auto& there = windows[pair->second];
    if (number >= there.size()) continue;
    windows_.forth[i] = there[number];
    windows_.back[there[number]] = i;
  }
}

}  // namespace mora::predict
