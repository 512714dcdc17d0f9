/// Progress of long work, as a callback: libraries report, the CLI draws (stderr, only on a terminal).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace mora {

/// `done` of `total` units of the step named `step`. May be called from any thread, at most some hundred times a step.
/// Empty function = progress is not wanted.
using ProgressCallback = std::function<void(const std::string& step, std::uint64_t done, std::uint64_t total)>;

/// Calls the callback at most once per hundredth of `total`. Not thread-safe.
class Progress {
 public:
  Progress(const ProgressCallback& callback, std::string step, std::uint64_t total);
  ~Progress();
  void advance(std::uint64_t units);  ///< by so many of `total`

 private:
  const ProgressCallback& callback_;
  std::string step_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace mora
