/// A sequence of numbers with its loops folded: (a b b b c) x 1000 is three nodes. Lossless; equal sequences may be folded differently.
///
/// Idea: a stack of items; after each new item the last L items are compared with the L before them (L up to a window), as in
/// regular section descriptors of ScalaTrace (Noeth et al., JPDC 2009). Cost: amortised O(1) comparisons of hashes per item for
/// sequences that fold, O(window) hash look-ups otherwise.
#pragma once

#include <cstdint>
#include <functional>
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
      std::uint64_t left;        ///< repetitions of the whole body still to come
      std::uint64_t item_left;   ///< repetitions of the current number
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
  void push(std::uint32_t value);
  std::uint64_t size() const { return pushed_; }
  Sequence finish();

 private:
  struct Node {
    Sequence::Item item;
    std::uint64_t hash;
  };
  void fold();
  std::uint32_t loop_of(std::size_t first, std::size_t length);

  std::uint32_t window_;
  std::uint64_t pushed_ = 0;
  std::vector<Node> stack_;
  std::vector<std::uint64_t> prefix_;  ///< rolling hashes of the stack
  Sequence sequence_;
};

}  // namespace mora::predict
