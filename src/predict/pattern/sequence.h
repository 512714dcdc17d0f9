/// A sequence of numbers with its loops folded: (a b b b c) x 1000 is three nodes. Lossless; equal sequences may be
/// folded differently.
///
/// Idea: a stack of items; after each new item the last L items are compared with the L before them (L up to a window),
/// as in regular section descriptors of ScalaTrace (Noeth 2009). Cost: amortised O(1) comparisons of
/// hashes per item for sequences that fold, O(window) hash look-ups otherwise; memory: the folded sequence. Limits:
/// loop bodies of at most `window` items; the result is not the shortest possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace mora::predict {

class Sequence {
 public:
  /// One step: a number (value), or a loop (index into loops), done `times` times in a row.
  struct Item {
    std::uint32_t index = 0;
    bool is_loop = false;
    std::uint64_t times = 1;
    bool operator==(const Item&) const = default;
  };
  struct Loop {
    std::vector<Item> body;
    bool operator==(const Loop&) const = default;
  };

  std::vector<Item> items;
  std::vector<Loop> loops;  ///< a loop's body refers to loops of smaller index only

  /// Length when unfolded.
  std::uint64_t size() const;
  bool empty() const { return items.empty(); }
  bool operator==(const Sequence&) const = default;

  /// Steps through the unfolded sequence; O(depth) memory.
  class Cursor {
   public:
    explicit Cursor(const Sequence& sequence);
    /// False at the end.
    bool next(std::uint32_t& value);

   private:
    struct Frame {
      const std::vector<Item>* body;
      std::size_t at;
      std::uint64_t left;       ///< repetitions of the whole body still to come
      std::uint64_t item_left;  ///< repetitions of the current number
    };
    const Sequence* sequence_;
    std::vector<Frame> frames_;
  };
  Cursor cursor() const { return Cursor(*this); }
};

/// Folds while numbers come in. Not thread-safe.
class SequenceBuilder {
 public:
  /// `window`: longest loop body (in folded items) that is looked for.
  explicit SequenceBuilder(std::uint32_t window = 1024);
  /// Appends a number. Amortised O(1) for sequences that fold.
  void push(std::uint32_t value);
  std::uint64_t size() const { return pushed_; }
  /// The folded sequence; the builder is empty afterwards.
  Sequence finish();

 private:
  static constexpr std::uint32_t no_node = 0xffffffff;
  static constexpr int max_tries = 16;  ///< earlier places of the same item that are tried as begin of a repetition
  struct Node {
    Sequence::Item item;
    std::uint64_t hash;
    std::uint32_t previous;  ///< the equal item below it
  };
  void append(const Sequence::Item& item);
  void drop(std::size_t length);
  /// Step (1): a repeated item is counted into the one before it.
  bool count_up();
  /// Step (2): the items above a loop equal its body.
  bool extend_loop();
  /// Step (3): the last L items equal the L before them: a new loop.
  bool fold_repeat();
  /// Polynomial hash of a range of the stack, O(1) from prefix hashes.
  std::uint64_t range_hash(std::size_t first, std::size_t length) const;
  /// Compares two ranges item by item; called when their hashes are equal.
  bool same(std::size_t a, std::size_t b, std::size_t length) const;
  /// The loop whose body is the range: an existing one with the same body, or a new one.
  std::uint32_t loop_of(std::size_t first, std::size_t length);
  const std::vector<std::uint32_t>& loops_ending_with(std::uint64_t hash) const;
  void remember_end(std::uint32_t loop);

  std::uint32_t window_;
  std::uint64_t pushed_ = 0;
  std::vector<Node> stack_;
  std::vector<std::uint64_t> prefix_, powers_;             ///< hashes of the stack's beginnings, powers of their base
  std::unordered_map<std::uint64_t, std::uint32_t> last_;  ///< hash of an item → its topmost place
  std::unordered_multimap<std::uint64_t, std::uint32_t> loops_;         ///< hash of a body → loop
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> ends_;  ///< hash of a body's last item → loops
  Sequence sequence_;
};

}  // namespace mora::predict
