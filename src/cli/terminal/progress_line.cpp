#include "cli/terminal/progress_line.h"

#include <unistd.h>

#include <cstdio>

namespace mora::cli {

ProgressLine::ProgressLine(bool wanted) : visible_(wanted && isatty(STDERR_FILENO) == 1) {}

ProgressCallback ProgressLine::callback() {
  if (!visible_) return {};
  return [this](const std::string& step, std::uint64_t done, std::uint64_t total) {
    const std::lock_guard lock(mutex_);
    drawn_ = true;
    std::fprintf(stderr, "\r\033[K%s %llu of %llu", step.c_str(), static_cast<unsigned long long>(done),
                 static_cast<unsigned long long>(total));
    std::fflush(stderr);
  };
}

void ProgressLine::erase() {
  const std::lock_guard lock(mutex_);
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace mora::cli
