/// One line of a text trace `ti_traces/ti_trace<rank>.txt`, parsed: MinI's grammar (Kotomatas 2018, 3.3.1 to 3.3.3)
/// with Mora's extensions, which use the same shapes under MPI's own names (docs/formats/ti-trace.md). Reading accepts
/// every spelling of the source and of MinI's published program, in upper or lower case; writing is exact. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "predict/pattern/operation.h"

namespace mora::predict {

/// The seven categories of MinI Parser (Kotomatas 2018, 4.3.3), phases, and lines that cannot be read.
enum class RecordCategory : std::uint8_t {
  ignored,
  point_to_point,
  rooted,
  rooted_vector,
  rootless,
  rootless_vector,
  communicator,
  phase_start,
  phase_end
};

/// How a trace spells the communicator of all processes.
inline constexpr std::string_view world_name = "MPI_COMM_WORLD";

struct TextRecord {
  RecordCategory category = RecordCategory::ignored;
  Operation operation = Operation::other;
  std::string spelling;      ///< of the operation as it stood in the file ("allReduce", "Sendrecv(s)")
  std::int64_t sender = -1;  ///< world rank of the recording process; -1 where the line has none
  std::int64_t peer = -1;    ///< local rank of receiver or source; rooted: root
  std::int64_t count = -1;
  std::uint64_t size = 0;                    ///< bytes of one element
  std::int64_t min = 0, max = 0;             ///< vector calls: element counts
  std::int64_t median_twice = 0;             ///< 2 x the median: exact for halves
  std::int32_t type = -1, second_type = -1;  ///< codes of Kotomatas 2018, Table 3.2
  std::int64_t receive_count = -1;           ///< allGather's extra group
  std::uint64_t receive_size = 0;
  std::string communicator;
  std::int64_t id = -1;             ///< of rootless calls
  std::int64_t local_sender = -1;   ///< of rooted calls outside of MPI_COMM_WORLD
  std::int64_t color = 0, key = 0;  ///< Comm split
  bool undefined_color = false;
  std::uint64_t members = 0;  ///< Comm split: size of the new communicator
  std::string name;           ///< phase; communicator of "Comm … free."
  std::int64_t flag = -1;     ///< Tested F.
  std::string extension;      ///< text between the type group and "on comm": an extension that is kept

  bool contiguous() const { return type <= 100 && second_type <= 100; }
};

/// `line` without its line feed, into a record that is reused: no allocation on the common path (the parser's hot
/// loop). False: `error` (unreadable) carries in `where` the column only ("column 12"); the caller adds file and line.
bool parse_text_record(std::string_view line, TextRecord& record, Error& error);

/// Appends the line, with its line feed.
void append_text_record(const TextRecord& record, std::string& out);

}  // namespace mora::predict
