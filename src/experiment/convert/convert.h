/// From the journals of a job to experiments: the one path to OTF2, used by `mora record` and `mora recover`.
///
/// Two passes over each journal, several workers. First: what it defines, which (function, call site) pairs occur, its
/// clock readings. Then, with one numbering for all: the events, one location per worker at a time. Nothing of the
/// result depends on the number of workers. Cost: linear in the journals; memory: definitions of all ranks and the
/// journals that are being read (mapped).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "experiment/convert/profile.h"
#include "experiment/journal_files.h"
#include "experiment/manifest.h"

namespace mora::experiment {

struct ConvertOptions {
  using ProfileWriter = std::function<Result<std::vector<std::string>>(const Profile&, const Manifest&)>;
  RunRequest request;
  int stopped_by = 0;                             ///< signal that was passed on to the job; 0 = none
  std::map<std::uint32_t, std::uint64_t> deaths;  ///< by pid: when it was seen to be gone, CLOCK_MONOTONIC_RAW ns here
  bool recovered = false;                         ///< the launcher's end was not seen
  bool is_running = false;                        ///< these are copies of journals whose processes go on
  bool keep_journals = false;
  unsigned workers = 0;  ///< 0 = usable cores
  ProgressCallback progress;
  /// Takes what journals of `mora record --stats` add up to, in the place of an archive, and writes it into the
  /// experiment, whose manifest is known but not written yet. Returns the files that it wrote.
  ProfileWriter write_profile;
};

/// Converts every run found in `directory`/journal: the first (by start) becomes the experiment `directory` itself, the
/// others `directory`-2, `directory`-3 …. Journals (and live chunks in shared memory) are deleted only after their
/// archive was closed and read back. On failure nothing of the failed run's archive is left and its journals stay. An
/// empty vector: no process recorded anything. Errors: unreadable (no journal can be read), system (no space, no
/// permission). Not for two threads on one directory.
Result<std::vector<Manifest>> convert_journals(const std::string& directory, const ConvertOptions& options);

}  // namespace mora::experiment
