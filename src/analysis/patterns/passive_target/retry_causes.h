/// Who held the value that an atomic operation was repeated for (Mora's rule atomic-retry).
#pragma once

#include <memory>
#include <vector>

#include "analysis/core/domain.h"
#include "analysis/patterns/passive_target/passive.h"

namespace mora::analysis::passive {

/// What comes before each record of the rounds 0 and 1.
enum class Message : std::uint8_t { lock, holder, retry };

/// Who made a repeated atomic operation succeed, and the answer.
struct RetryQuestion {
  cube::LocationId location = 0;
  std::uint32_t loop = 0;
  AtomicPlace place;
  Nanoseconds before = 0;
};
struct RetryAnswer {
  cube::LocationId location = 0;
  std::uint32_t loop = 0;
  Changer changer;
};
struct AskedRetry {
  std::size_t source = 0;  ///< partition
  RetryQuestion question;
};

/// Round 0, to all: whoever changed the place may be anywhere.
void ask_who_changed(const LocationHalves& halves, std::vector<Buffer>& outgoing);
/// The latest change of a location of this partition that had begun; attempts that failed changed nothing. `answers` by
/// partition. O((changes + questions) log changes).
void answer_who_changed(const std::vector<std::unique_ptr<LocationHalves>>& halves,
                        const std::vector<AskedRetry>& questions, const DomainContext& context,
                        std::vector<Buffer>& answers);
/// Of the answers of all partitions.
void keep_latest(Changer& known, const Changer& other);

}  // namespace mora::analysis::passive
