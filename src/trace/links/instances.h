/// What the members of a collective operation say of it: it is one operation only if they agree.
///
/// Members are matched by number alone (joined_sequences.h). An instance of which the members called different
/// operations, or named different roots, is none: the program is wrong, or records are missing. Whoever names no root
/// agrees with every root.
///
/// Fences have no number. Where all members of a window freed it and made different numbers of calls on it, some record
/// is missing, nobody knows which: all behind it would be put together wrongly, so that none is put together at all.
/// Where a member has not freed it, its recording may have ended before the others', which shifts nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "trace/definitions.h"

namespace mora::trace {

/// The operation of a call that is no operation of its kind (a record outside of calls): it agrees with nothing.
inline constexpr std::uint8_t no_operation = 0xFF;

/// Of a member of a window: its last call is MPI_Win_free.
inline bool ends_window(std::uint8_t last_operation) {
  return static_cast<mpi::RmaOperation>(last_operation) == mpi::RmaOperation::win_free;
}

/// Whether the members' calls can be put together by number, from how many each made in a stretch of recording.
class MemberCounts {
 public:
  /// One member.
  void add(std::uint32_t calls, bool has_freed = false) {
    ++members_;
    freed_ += has_freed ? 1 : 0;
    least_ = std::min(least_, calls);
    most_ = std::max(most_, calls);
  }
  std::uint32_t least() const { return least_; }
  std::uint32_t most() const { return most_; }
  /// All of `members` were added and made the same number of calls.
  bool agree(std::size_t members) const { return members_ == members && least_ == most_; }
  /// A call is lost, nobody knows which.
  bool lack_a_call(std::size_t members) const {
    return freed_ != 0 && freed_ == members && members_ == members && least_ != most_;
  }
  /// Behind a gap (a stretch but the first) the numbers hold only if all members agree.
  bool are_torn(std::uint32_t stretch, std::size_t members) const { return stretch != 0 && !agree(members); }

 private:
  std::size_t members_ = 0, freed_ = 0;
  std::uint32_t least_ = UINT32_MAX, most_ = 0;
};

/// One member's call, or what all members seen so far agree on (made without arguments: nobody was seen). 4 bytes;
/// roots are told apart up to 16,777,214.
class MemberCall {
 public:
  MemberCall() = default;
  /// `operation`: a number that names it on all members alike, or no_operation.
  MemberCall(std::uint8_t operation, std::uint32_t root)
      : word_(operation == no_operation ? mismatched
                                        : std::uint32_t{operation} << 24 | (root >= no_root ? no_root : root)) {}

  /// As it was made.
  std::uint8_t operation() const { return static_cast<std::uint8_t>(word_ >> 24); }
  bool holds() const { return word_ != mismatched; }
  /// Another member: holds() from now on only if they agree.
  void agree(const MemberCall& other) {
    const std::uint32_t mine = word_ & no_root, theirs = other.word_ & no_root;
    if (word_ == nobody) {
      word_ = other.word_;
    } else if (word_ >> 24 != other.word_ >> 24 || (mine != theirs && mine != no_root && theirs != no_root)) {
      word_ = mismatched;
    } else if (mine == no_root) {
      word_ = other.word_;
    }
  }

 private:
  static constexpr std::uint32_t no_root = 0xFFFFFF, mismatched = 0xFFFFFFFF, nobody = 0xFFFFFFFE;
  std::uint32_t word_ = nobody;
};
static_assert(sizeof(MemberCall) == 4);

}  // namespace mora::trace
