/// Whether two calls of two traces of one program are the same. Indices of definitions are each trace's own:
/// communicators and windows are paired, when they are first met together or beforehand (pair_all); paired ones must
/// have the same members and stay paired. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "predict/pattern/trace.h"

namespace mora::predict {

class CallEquality {
 public:
  CallEquality(const PatternTrace& real, const RankTrace& real_rank, const PatternTrace& dry, const RankTrace& dry_rank)
      : real_(real), dry_(dry), real_rank_(real_rank), dry_rank_(dry_rank) {}

  /// among_requests: calls choose requests by time: which request is meant is not compared. among_messages: probes
  /// choose messages: lengths and tags of matched receives are not compared.
  void set_choices(bool among_requests, bool among_messages) {
    choices_ = among_requests;
    any_probe_ = among_messages;
  }
  /// Communicators by members, origin, parent and number among equal ones; windows by communicator and
  /// number. No pairs are added later, so that calls can be compared in any order.
  void pair_all();

  /// Call i of the real rank and call j of the dry one (indices in RankTrace::calls).
  bool same(std::uint32_t i, std::uint32_t j) {
    const auto key = std::uint64_t{i} << 32 | j;
    auto& known = same_[(choices_ ? 1U : 0U) + (any_probe_ ? 2U : 0U)];
    if (known.contains(key)) return true;  // pairs never change, so equal calls stay equal
    why_.clear();
    if (!equal(real_rank_.calls[i], dry_rank_.calls[j])) return false;
    known.insert(key);
    return true;
  }
  /// How the last two calls that were not the same differ; may be empty.
  const std::string& why() const { return why_; }

 private:
  struct Pairs {
    std::unordered_map<std::uint32_t, std::uint32_t> forth, back;
  };
  /// Keeps `what` as the reason if `good` is false; returns `good`.
  bool because(bool good, const char* what);
  bool equal(const Call& a, const Call& b);
  template <class Alike>
  /// True if i and j are paired, or can be paired now because `alike` holds.
  bool paired(Pairs& pairs, std::uint32_t i, std::uint32_t j, Alike alike) const;
  bool communicators_equal(std::uint32_t i, std::uint32_t j);
  bool windows_equal(std::uint32_t i, std::uint32_t j);
  bool payloads_equal(const Payload& a, const Payload& b);
  bool vectors_equal(std::uint32_t i, std::uint32_t j) const;
  bool arguments_equal(const Call& a, const Call& b);
  bool completions_equal(const Call& a, const Call& b);

  const PatternTrace &real_, &dry_;
  const RankTrace &real_rank_, &dry_rank_;
  Pairs communicators_, windows_;
  std::array<std::unordered_set<std::uint64_t>, 4> same_;
  bool choices_ = false, any_probe_ = false;
  bool all_paired_ = false;
  std::string why_;
};

}  // namespace mora::predict
