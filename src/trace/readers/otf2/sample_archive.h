/// A small archive for tests: two ranks, one of each kind of call, a clock that is off. Test code only.
#pragma once

#include <string>

namespace mora::trace {

class SampleArchive {
 public:
  SampleArchive();   ///< written into a fresh directory by src/archive
  ~SampleArchive();  ///< removed
  SampleArchive(const SampleArchive&) = delete;
  SampleArchive& operator=(const SampleArchive&) = delete;
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
};

}  // namespace mora::trace
