/// What a record adds to a profile, for readers of journals.
#pragma once

#include <cstring>

#include "journal/journal_reader.h"
#include "journal/profile.h"

namespace mora::journal {

/// The neutral element of mora_profile_add.
inline mora_amounts no_amounts() { return {0, 0, UINT64_MAX, 0, 0, 0, 0, 0, 0}; }

/// Of a call's record or of a PROFILE record; of any other, nothing.
inline mora_amounts amounts_of(const Record& r) {
  mora_amounts amounts = no_amounts();
  if (r.shape == MORA_SHAPE_PROFILE)
    std::memcpy(&amounts, r.payload.data(), sizeof amounts);
  else if (r.function != 0)
    amounts =
        mora_profile_amounts(r.shape, r.flags, r.duration, r.payload.data(), static_cast<unsigned>(r.payload.size()));
  return amounts;
}

}  // namespace mora::journal
