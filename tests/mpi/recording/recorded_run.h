// Runs one of the C programs of this folder under mpirun with the recorder preloaded and reads what it left.
#pragma once

#include <string>
#include <vector>

#include "base/data_quality.h"
#include "journal/journal_reader.h"
#include "support/scratch_directory.h"

namespace mora::recording {

/// "openmpi" or "mpich", from MORA_TEST_FLAVOUR; "openmpi-pt2pt" is Open MPI with OMPI_MCA_osc=pt2pt.
std::string flavour();

/// MORA_TEST_PATTERN=1: all runs are in pattern mode, and lines() leaves out what only that mode writes: the rest is
/// what every mode writes.
bool in_pattern_mode();

struct Options {
  std::vector<std::string> arguments = {};    ///< of the program; "{dir}" becomes the experiment directory
  std::vector<std::string> environment = {};  ///< "NAME=value", for all processes
  std::string library_of = {};                ///< preload this flavour's library instead of the right one
};

class RecordedRun {
 public:
  RecordedRun(const std::string& program, int processes, const Options& options = {});
  ~RecordedRun();
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  int exit_code() const { return exit_code_; }
  const std::string& directory() const { return directory_; }
  /// Files of $MORA_DIR/journal whose names end so.
  std::vector<std::string> files(const std::string& ending) const;
  /// Of one rank; aborts the test if it cannot be opened.
  journal::Journal journal(int rank, DataQuality& quality) const;
  /// Records as text (journal_text.h) without CLOCK, CORE, OVERHEAD, END and without the definitions of WORLD and SELF.
  std::vector<std::string> lines(int rank) const;
  std::vector<std::string> lines_with(int rank, const std::string& part) const;

 private:
  const ScratchDirectory scratch_;
  const std::string& directory_ = scratch_.path();
  int exit_code_ = -1;
};

/// Lines of a raw string, without indentation and empty ones.
std::vector<std::string> text(const char* lines);

}  // namespace mora::recording
