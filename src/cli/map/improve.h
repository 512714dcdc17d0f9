/// `mora map --improve PATTERN`: compares the placement asked for with all policies of the mode and with placements
/// that are made from the communication pattern, by bytes between nodes or by predicted time. The search itself is
/// predict/placement; its cost stands there.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/json/json_writer.h"
#include "cli/map/modes.h"
#include "predict/search/search.h"

namespace mora::cli {

/// The result of the search: all candidates with their scores, and the best one ready to be printed.
struct Improved {
  predict::SearchResult search;    ///< the first candidate is what the words ask for
  std::vector<std::size_t> alike;  ///< by candidate: how many other policies give the same placement
  Mapped best;
  std::vector<std::string> notes;
};

/// Errors: those of the placement asked for; a pattern that cannot be read, or has another number of ranks.
Result<Improved> improve(const MapWords& words);

/// Lines that begin with '#', before the placement.
std::string improvement_text(const Improved& improved);
void improvement_json(const Improved& improved, JsonWriter& json);

}  // namespace mora::cli
