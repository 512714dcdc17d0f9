/// Text records of one rank as calls, with tables of its own: read.cpp unifies the tables of all ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "predict/pattern/text/record.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

/// A communicator as one rank's text describes it.
struct TextCommunicator {
  std::string name;
  bool made = false;  ///< there is a record of its creation
  Operation made_by = Operation::other;
  std::int64_t color = 0, key = 0;
  std::uint64_t size = 0;
};

struct TextRank {
  RankTrace trace;
  std::vector<TextCommunicator> communicators;                    ///< 0 MPI_COMM_WORLD, 1 MPI_COMM_SELF
  std::vector<std::pair<std::uint64_t, std::int32_t>> datatypes;  ///< size, code
  std::vector<std::uint32_t> windows;                             ///< their communicators: one window each
  std::vector<std::string> phases;
  std::uint64_t fitted_vectors = 0, lost_neighbors = 0;
};

class TextRankBuilder {
 public:
  TextRankBuilder(std::uint32_t rank, std::uint32_t world_size);
  /// False if the record's numbers are too large.
  bool add(const TextRecord& record);
  TextRank finish();

 private:
  std::uint32_t communicator(const std::string& name);
  std::uint32_t window(std::uint32_t communicator);
  /// `count` elements of the type with this size and code (Kotomatas 2018, Table 3.2).
  Payload payload(std::int64_t count, std::uint64_t size, std::int64_t code);
  /// Counts in bytes for a vector record: fit_counts for the communicator's size.
  std::vector<std::uint64_t> fitted(const TextRecord& record, std::uint32_t communicator);
  void message(const TextRecord& record, Call& call);
  void collective(const TextRecord& record, Call& call);
  void vector_collective(const TextRecord& record, Call& call);
  /// A record of a new communicator: its members become known.
  void creation(const TextRecord& record, Call& call);
  /// Adds a Sendrecv(s) that no (r) followed.
  void flush();

  TextRank rank_;
  RankTraceBuilder builder_;
  std::uint32_t own_;
  std::map<std::string, std::uint32_t, std::less<>> communicator_numbers_, phase_numbers_;
  std::map<std::pair<std::uint64_t, std::int32_t>, std::uint32_t> datatype_numbers_;
  Call sent_half_;  ///< Sendrecv(s) that waits for its (r)
  bool has_half_ = false, complete_ = false;
  std::uint64_t dropped_tests_ = 0;
};

/// `n` ascending counts whose least, greatest and median are these, evenly spaced in between: what is known of a vector
/// in a text trace.
std::vector<std::uint64_t> fit_counts(std::uint64_t n, std::int64_t min, std::int64_t median_twice, std::int64_t max);

}  // namespace mora::predict
