/// One journal of pattern mode as one rank's calls, still in the process's own numbers of communicators, windows, types
/// and phases.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "experiment/convert/definitions.h"
#include "journal/journal_reader.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

/// A call that made a communicator, or gave MPI_COMM_NULL.
struct Creation {
  Operation made_by = Operation::comm_other;
  std::uint32_t made = no_id;    ///< number in the journal; no_id: MPI_COMM_NULL
  std::uint32_t parent = no_id;  ///< number in the journal
  std::uint32_t ordinal = 0;     ///< of the creation among those of the parent
  bool collective = false;       ///< (parent, ordinal) identify the creation; else only the communicator does
  bool colored = false;          ///< of MPI_Comm_split; color and key are known
  std::int32_t color = 0, key = 0;
};

struct RankPart {
  /// communicator: number in the journal. argument: of communicator calls likewise; of window and one-sided calls the
  /// window's number; of phases the index in `phases`. Payload::type: index in `types`.
  RankTrace trace;
  experiment::LocalDefinitions definitions;
  std::vector<Creation> creations;  ///< in the order of the calls
  std::vector<Datatype> types;      ///< each once
  std::vector<std::string> phases;  ///< each once
  bool ended = false;
};

/// Never fails: damage is counted in `quality` (where = "rank N").
RankPart read_rank(const journal::Journal& journal, std::uint32_t rank, DataQuality& quality);

}  // namespace mora::predict
