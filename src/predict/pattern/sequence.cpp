/// Loop compression after ScalaTrace (sequence.h). Folding works on the top of a stack of items. After each push: (1)
/// an item equal to its predecessor is counted into it; (2) if the predecessor is a loop whose body equals the items
/// above it, its count rises; (3) if the last L items equal the L before them, both become a loop of two. Equality of
/// ranges is decided by polynomial rolling hashes (64 bits of a product modulo 2^61-1), then by comparison. Candidates
/// for L come from where the top item's value was met before (a chain per value), so that a sequence without repetition
/// costs O(1) per item.
#include "predict/pattern/sequence.h"

#include <algorithm>

#include "predict/pattern/rolling_hash.h"

namespace mora::predict {
namespace {

constexpr std::uint64_t base = 0x1d3f5b79a2c4e68bULL % hash_modulus;

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  const auto sum = a + b;
  return sum >= hash_modulus ? sum - hash_modulus : sum;
}

std::uint64_t hash_of(const Sequence::Item& item) {
  std::uint64_t x = (std::uint64_t{item.index} << 1 | (item.is_loop ? 1 : 0)) * 0x9e3779b97f4a7c15ULL;
  x ^= (item.times + 0x7f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 29;
  x *= 0x94d049bb133111ebULL;
  x ^= x >> 32;
  return x % hash_modulus;
}

}  // namespace

std::uint64_t Sequence::size() const {
  std::vector<std::uint64_t> lengths(loops.size());
  const auto length = [&](const std::vector<Item>& body) {
    std::uint64_t sum = 0;
    for (const Item& item : body) sum += item.times * (item.is_loop ? lengths[item.index] : 1);
    return sum;
  };
  for (std::size_t i = 0; i < loops.size(); ++i) lengths[i] = length(loops[i].body);
  return length(items);
}

Sequence::Cursor::Cursor(const Sequence& sequence) : sequence_(&sequence) {
  if (!sequence.items.empty()) frames_.push_back({&sequence.items, 0, 0, sequence.items[0].times});
}

bool Sequence::Cursor::next(std::uint32_t& value) {
  while (!frames_.empty()) {
    Frame& top = frames_.back();
    if (top.item_left == 0) {
      if (++top.at == top.body->size()) {
        if (top.left == 0) {
          frames_.pop_back();
          if (!frames_.empty()) frames_.back().item_left = 0;
          continue;
        }
        --top.left;
        top.at = 0;
      }
      top.item_left = (*top.body)[top.at].times;
      continue;
    }
    const Item& item = (*top.body)[top.at];
    if (!item.is_loop) {
      --top.item_left;
      value = item.index;
      return true;
    }
    const auto& body = sequence_->loops[item.index].body;
    frames_.push_back({&body, 0, item.times - 1, body[0].times});
  }
  return false;
}

SequenceBuilder::SequenceBuilder(std::uint32_t window) : window_(window), prefix_{0}, powers_{1} {}

void SequenceBuilder::append(const Sequence::Item& item) {
  const std::uint64_t hash = hash_of(item);
  stack_.push_back({item, hash, no_node});
  auto [where, added] = last_.try_emplace(hash, static_cast<std::uint32_t>(stack_.size() - 1));
  if (!added) {
    stack_.back().previous = where->second;
    where->second = static_cast<std::uint32_t>(stack_.size() - 1);
  }
  prefix_.push_back(add(hash_product(prefix_.back(), base), hash));
  if (powers_.size() <= stack_.size()) powers_.push_back(hash_product(powers_.back(), base));
}

void SequenceBuilder::drop(std::size_t length) {
  for (; length > 0; --length) {
    const Node& top = stack_.back();
    if (top.previous == no_node)
      last_.erase(top.hash);
    else
      last_[top.hash] = top.previous;
    stack_.pop_back();
    prefix_.pop_back();
  }
}

std::uint64_t SequenceBuilder::range_hash(std::size_t first, std::size_t length) const {
  const auto before = hash_product(prefix_[first], powers_[length]);
  return add(prefix_[first + length], hash_modulus - before);
}

bool SequenceBuilder::same(std::size_t a, std::size_t b, std::size_t length) const {
  if (range_hash(a, length) != range_hash(b, length)) return false;
  return std::equal(
      stack_.begin() + static_cast<std::ptrdiff_t>(a), stack_.begin() + static_cast<std::ptrdiff_t>(a + length),
      stack_.begin() + static_cast<std::ptrdiff_t>(b), [](const Node& x, const Node& y) { return x.item == y.item; });
}

std::uint32_t SequenceBuilder::loop_of(std::size_t first, std::size_t length) {
  const std::uint64_t hash = range_hash(first, length) ^ length;
  const auto known = loops_.equal_range(hash);
  const auto equals = [&](const Sequence::Loop& loop) {
    return loop.body.size() == length &&
           std::equal(loop.body.begin(), loop.body.end(), stack_.begin() + static_cast<std::ptrdiff_t>(first),
                      [](const Sequence::Item& x, const Node& y) { return x == y.item; });
  };
  for (auto i = known.first; i != known.second; ++i)
    if (equals(sequence_.loops[i->second])) return i->second;
  Sequence::Loop loop;
  for (std::size_t i = first; i < first + length; ++i) loop.body.push_back(stack_[i].item);
  sequence_.loops.push_back(std::move(loop));
  const auto index = static_cast<std::uint32_t>(sequence_.loops.size() - 1);
  loops_.emplace(hash, index);
  return index;
}

bool SequenceBuilder::count_up() {
  const std::size_t n = stack_.size();
  if (n < 2) return false;
  const auto top = stack_[n - 1].item;
  auto below = stack_[n - 2].item;
  if (top.is_loop == below.is_loop && top.index == below.index) {  // a x 3, a x 1
    below.times += top.times;
    drop(2);
    append(below);
    return true;
  }
  return false;
}

bool SequenceBuilder::extend_loop() {
  // a loop below, its body again above it
  const std::size_t n = stack_.size();
  const auto& top = stack_.back();
  for (const std::uint32_t loop : loops_ending_with(top.hash)) {
    const auto& body = sequence_.loops[loop].body;
    const std::size_t length = body.size();
    if (length + 1 > n) continue;
    auto below = stack_[n - length - 1].item;
    if (!below.is_loop || below.index != loop) continue;
    bool equal = true;
    for (std::size_t i = 0; i < length && equal; ++i) equal = body[i] == stack_[n - length + i].item;
    if (!equal) continue;
    ++below.times;
    drop(length + 1);
    append(below);
    return true;
  }
  return false;
}

bool SequenceBuilder::fold_repeat() {
  const std::size_t n = stack_.size();
  int tries = 0;
  for (std::uint32_t at = stack_.back().previous; at != no_node && tries < max_tries;
       at = stack_[at].previous, ++tries) {
    const std::size_t length = n - 1 - at;
    if (length > window_ || 2 * length > n) break;
    if (!same(n - 2 * length, n - length, length)) continue;
    const std::uint32_t loop = loop_of(n - length, length);
    remember_end(loop);
    drop(2 * length);
    append({loop, true, 2});
    return true;
  }
  return false;
}

const std::vector<std::uint32_t>& SequenceBuilder::loops_ending_with(std::uint64_t hash) const {
  static const std::vector<std::uint32_t> none;
  const auto found = ends_.find(hash);
  return found == ends_.end() ? none : found->second;
}

void SequenceBuilder::remember_end(std::uint32_t loop) {
  auto& list = ends_[hash_of(sequence_.loops[loop].body.back())];
  if (std::find(list.begin(), list.end(), loop) == list.end()) list.push_back(loop);
}

void SequenceBuilder::push(std::uint32_t value) {
  ++pushed_;
  append({value, false, 1});
  while (count_up() || extend_loop() || fold_repeat()) {
  }
}

Sequence SequenceBuilder::finish() {
  for (const Node& node : stack_) sequence_.items.push_back(node.item);
  Sequence result = std::move(sequence_);
  *this = SequenceBuilder(window_);
  return result;
}

}  // namespace mora::predict
