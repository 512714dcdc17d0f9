/// Reads the journal of one process or thread (bytes: format.h, prose: docs/formats/journal.md), also when the process
/// was killed: then the live chunk supplies what was not yet appended. Damage is counted, never fatal.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "base/file.h"
#include "journal/format.h"
#include "journal/ring.h"

namespace mora::journal {

/// One record with its continuations joined. `payload` stays valid until the cursor's next step.
struct Record {
  std::uint64_t ordinal = 0;               ///< of its first part among all records of this journal, from 0
  unsigned function = 0;                   ///< id in mpi/function_table.h; 0 = no MPI call
  unsigned shape = 0;                      ///< enum mora_shape
  unsigned flags = 0;                      ///< enum mora_flag, without CONTINUED
  std::uint64_t begin = 0;                 ///< ticks
  std::uint64_t duration = 0;              ///< ticks
  std::uint64_t site = 0;                  ///< return address, 48 bits
  std::uint32_t object = 0;                ///< communicator, window or group id
  std::span<const std::uint64_t> payload;  ///< at least the words that the shape demands

  std::uint64_t end() const { return begin + duration; }
};

/// Halves of a pair(a, b) word.
inline std::int32_t pair_low(std::uint64_t word) { return static_cast<std::int32_t>(word); }
inline std::int32_t pair_high(std::uint64_t word) { return static_cast<std::int32_t>(word >> 32); }

/// Whether a number stands for a function of another library than MPI, which the journal names.
constexpr bool is_of_library(unsigned function) {
  return function >= MORA_FIRST_LIBRARY_FUNCTION && function <= MORA_LAST_LIBRARY_FUNCTION;
}

/// Not copyable; reading through several cursors at once is thread-safe.
class Journal {
 public:
  /// Reads headers and checks every record once. Fails only if the file cannot be read or its header is no journal's.
  /// Rows for `quality`: journal-damaged-chunk, journal-damaged-record, journal-cut-list, journal-gap,
  /// journal-live-chunk-missing, journal-lost, journal-no-end. `thread`: whose journal it is, 0 that of the thread that
  /// called MPI_Init, which alone tells how the process ended.
  static Result<Journal> open(const std::string& path, DataQuality& quality, std::uint32_t thread = 0);

  const mora_file_header& header() const { return header_; }
  /// Texts of the header.
  std::string host() const;
  std::string program() const;
  std::string mpi_library() const;

  /// All readings of the clocks, ascending in ticks: header, chunks, CLOCK records.
  const std::vector<mora_clock_triple>& clock() const { return clock_; }

  std::uint64_t record_count() const { return record_count_; }
  /// True if the process closed its journal (END record); `finalized` only after MPI_Finalize.
  bool ended() const { return ended_; }
  bool finalized() const { return finalized_; }
  /// Ticks when recording ended because the process's journals had reached their budget; 0: they had not. What was lost
  /// since is no row: it was to happen.
  std::uint64_t budget_end() const { return budget_end_; }
  /// Of a ring that has forgotten its beginning (ring.h): ticks when what it still has begins, 0 of all other journals;
  /// and what stood before it. Definitions that were forgotten come before everything else.
  std::uint64_t ring_begin() const { return ring_begin_; }
  const std::vector<mora_ring_entry>& before_ring() const { return before_ring_; }
  /// What the process was doing when it ended, and how it was seen to end; all 0 if neither is known.
  const mora_state& state() const { return state_; }
  /// True if records of the live chunk were used.
  bool used_live_chunk() const { return !live_.empty(); }

  class Cursor {
   public:
    /// False at the end. In pattern mode a call's DATA comes before it, as if it had been written there. Records whose
    /// payload is too short for their shape are left out.
    bool next(Record& record);

   private:
    friend class Journal;
    struct Damage {
      std::uint64_t records = 0, lists = 0;
    };
    explicit Cursor(const Journal& journal, Damage* damage = nullptr) : journal_(&journal), damage_(damage) {}
    bool next_part(Record& record);
    bool next_whole(Record& record);
    bool keep_data(const Record& record);
    void keep_repeatable(Record& record);
    bool repeat(Record& record, unsigned place, std::uint64_t word);

    const Journal* journal_;
    Damage* damage_;
    std::size_t piece_ = 0, word_ = 0;
    std::uint64_t ordinal_ = 0;
    bool has_ahead_ = false;
    Record ahead_;
    std::vector<std::uint64_t> joined_;
    struct Data {
      std::uint32_t thread = 0;
      std::span<const std::uint64_t> payload;
    };
    std::vector<Data> data_;  ///< pattern mode: by number - 1
    struct Repeatable {
      std::uint32_t serial = 0, counter = 0;
      Record record;
      std::vector<std::uint64_t> payload;
    };
    std::vector<Repeatable> repeatable_;  ///< by place
    std::vector<std::uint64_t> repeated_;
    bool has_call_ = false;
    Record call_;  ///< its DATA was given out
  };
  /// From the first record on; the journal must outlive the cursor.
  Cursor records() const { return Cursor(*this); }

 private:
  struct Piece {
    std::span<const std::uint64_t> words;  ///< complete valid records, nothing else
    std::uint64_t first_ordinal = 0;
  };
  struct ChunkImage {
    mora_chunk_header header{};
    std::span<const std::uint64_t> words;  ///< behind the header, as many as the file holds
    struct Records {
      std::size_t words = 0;
      std::uint64_t count = 0;
    };
    /// Those that chain from the first word.
    Records records() const;
  };

  void read_chunks(DataQuality& quality);
  bool read_live_chunk();
  /// Takes the records that chain from the chunk's first word; returns how many words they are.
  std::size_t take_chunk(const ChunkImage& image, DataQuality& quality);
  void add_damage(std::uint64_t words, DataQuality& quality) const;
  /// All of a file that is a ring. False: it is none.
  bool read_ring(std::span<const std::uint64_t> words, bool has_live, DataQuality& quality);
  void check_records(DataQuality& quality);

  std::string path_, where_;
  MappedFile file_;
  std::vector<std::uint64_t> live_;  ///< copy of the live chunk, if it is used
  mora_file_header header_{};
  std::vector<Piece> pieces_;
  std::vector<mora_clock_triple> clock_;
  std::uint64_t record_count_ = 0;
  std::uint64_t missing_ = 0;  ///< records before the current chunk that are not in the file
  bool ended_ = false, finalized_ = false;
  bool is_whole_ = false;  ///< its last image says that it is the last one
  std::uint32_t thread_ = 0;
  std::uint64_t budget_end_ = 0;
  std::uint64_t ring_begin_ = 0;
  std::vector<mora_ring_entry> before_ring_;
  mora_state state_{};
};

}  // namespace mora::journal
