/// A small archive for tests: two ranks, one of each kind of call, a clock that is off. Test code only.
#pragma once

#include <string>

#include "support/scratch_directory.h"

namespace mora::trace {

class SampleArchive {
 public:
  SampleArchive();  ///< written into a fresh directory by src/archive
  const std::string& directory() const { return directory_; }

 private:
  const ScratchDirectory scratch_;
  const std::string& directory_ = scratch_.path();
};

}  // namespace mora::trace
