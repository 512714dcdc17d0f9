/// MinI Parser: the pattern of the whole application, per phase, from the traces of its processes. Source: Kotomatas
/// 2018, 4; what Mora does otherwise: rules `pattern-parser`, `phases-not-global` (docs/rules.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "base/progress.h"

namespace mora::predict {

/// How the records of a phase are written (docs/formats/pattern-parse.md); the last two are Mora's extensions.
enum class ParseForm : std::uint8_t {
  records,  ///< one per line, as MinI Parser writes them
  loops,    ///< what is repeated as loops: order and number are kept
  counts,   ///< each different line once, with its number: order is lost
};

struct ParseOptions {
  ParseForm form = ParseForm::records;
  bool records =
      false;  ///< keep the different records of each phase with their numbers (ParsedPhase::records), for JSON
  unsigned workers = 0;  ///< threads; 0 = all usable cores. The result does not depend on it
};

struct ParsedCommunicator {
  std::string name;
  std::uint64_t size = 0;
  std::vector<std::uint32_t> members;  ///< world ranks in local-rank order
  bool made = true;                    ///< by the application: not the world
};

/// A phase at the place where it was entered: one phase name below two others is two nodes with one file.
struct ParsedPhase {
  std::string name, file;
  std::uint32_t parent = 0;               ///< index; of the first (global) itself
  std::uint64_t visits = 0;               ///< times entered
  std::uint64_t written = 0;              ///< records written
  std::uint64_t messages = 0, bytes = 0;  ///< of the point-to-point records among them
  std::vector<std::pair<std::string, std::uint64_t>>
      records;  ///< each different record and how often, in order of appearance
};

struct ParseResult {
  std::uint32_t world_size = 0;
  std::vector<ParsedCommunicator> communicators;
  std::vector<ParsedPhase> phases;
  std::uint64_t records_read = 0, records_written = 0;
  std::uint64_t ignored = 0;     ///< records that move nothing, receives, records of processes that are not the root
  std::uint64_t to_nobody = 0;   ///< point-to-point records to MPI_PROC_NULL
  std::uint64_t bytes_read = 0;  ///< of text traces; 0 for others
  std::uint64_t bytes_written = 0;
  std::vector<std::string> violations;  ///< phases that are not the same on all ranks, in order; the first hundred
  std::uint64_t violation_count = 0;
  DataQuality quality;
};

/// How much smaller the output is, in percent of the trace (Kotomatas 2018, Table 6.1); 0 for an empty trace.
double reduction_percent(double trace_bytes, double output_bytes);

/// Parses `input` (a directory of text traces, or whatever open_pattern reads) into the directory `output`, which is
/// made; an earlier output there is replaced. Errors: unreadable input; usage: `output` holds other files; system:
/// cannot write. Unequal phases are not an Error here (everything is written all the same): look at violation_count.
Result<ParseResult> parse_pattern(const std::string& input, const std::string& output, const ParseOptions& options,
                                  const ProgressCallback& progress = {});

/// The same into memory: file name → contents.
Result<ParseResult> parse_pattern(const std::string& input, std::map<std::string, std::string>& files,
                                  const ParseOptions& options, const ProgressCallback& progress = {});

/// The valid JSON form of the result (docs/formats/pattern-parse.md). Call with ParseOptions::records.
std::string parse_result_json(const ParseResult& result, const std::string& input);

}  // namespace mora::predict
