/// `mora map --improve PATTERN`: the policies of the mode and placements made from who talks to whom, by what they
/// cost.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/json_writer.h"
#include "cli/map_modes.h"
#include "predict/placement/search/search.h"

namespace mora::cli {

struct Improved {
  predict::SearchResult search;    ///< the first candidate is what the words ask for
  std::vector<std::size_t> alike;  ///< by candidate: how many policies place just so, but it
  Mapped best;
  std::vector<std::string> notes;
};

/// Errors: those of the placement asked for; a pattern that cannot be read, or has another number of ranks.
Result<Improved> improve(const MapWords& words);

/// Lines that begin with '#', before the placement.
std::string improvement_text(const Improved& improved);
void improvement_json(const Improved& improved, JsonWriter& json);

}  // namespace mora::cli
