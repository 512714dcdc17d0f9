/// A learned correction as a file that a person can read (docs/formats/correction.md; schema mora-correction). Pure
/// functions, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/data_quality.h"
#include "predict/learning/learning.h"

namespace mora::predict {

struct LearnedRun {
  std::string application, trace;
  std::uint64_t ranks = 0;
};

/// What a correction belongs to.
struct LearnedFrom {
  std::string machine = {};         ///< name, for people
  std::string machine_digest = {};  ///< machine_match.h
  std::vector<LearnedRun> runs = {};
  std::uint64_t left_out = 0;  ///< ranks without measured or predicted time in MPI
};

std::string correction_json(const Learned& learned, const LearnedFrom& from, const std::vector<QualityRow>& quality);

struct ReadCorrection {
  Correction correction;
  bool beats_model = false;
  std::string machine, machine_digest;
  std::vector<std::string> runs;  ///< paths of the traces that it was learned from
};
/// `name` is for messages. Errors (unreadable): not such a file, another version of it, a feature that is not known.
Result<ReadCorrection> parse_correction(std::string_view text, const std::string& name);

}  // namespace mora::predict
