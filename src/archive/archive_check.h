/// Reads an archive back with libotf2 to make sure that nothing is missing before the journals it was made from are
/// deleted.
/// Cost: one sequential read of the whole archive.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/error.h"

namespace mora::archive {

/// Reads all definitions and every event of `directory`/traces.otf2. `event_counts`: by number of the location, what
/// was written. Errors: unreadable (a file is missing or damaged, or holds another number of events); the message names
/// the file.
Result<void> check_archive(const std::string& directory, const std::map<std::uint64_t, std::uint64_t>& event_counts);

}  // namespace mora::archive
