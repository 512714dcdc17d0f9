/// The progress of long work: one line on standard error, rewritten in place and erased at the end. Only on a terminal.
#pragma once

#include <mutex>
#include <string>

#include "base/progress.h"

namespace mora::cli {

/// Draws nothing unless standard error is a terminal.
class ProgressLine {
 public:
  /// `wanted`: false with --quiet and --json.
  explicit ProgressLine(bool wanted);
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// May be called from several threads while the line lives; empty if nothing is to be drawn.
  ProgressCallback callback();
  /// Before anything else is printed there. Thread-safe.
  void erase();

 private:
  bool visible_;
  bool drawn_ = false;
  std::mutex mutex_;
};

}  // namespace mora::cli
