#include "base/progress.h"

namespace mora {

Progress::Progress(const ProgressCallback& callback, std::string step, std::uint64_t total)
    : callback_(callback), step_(std::move(step)), total_(total) {
  if (callback_) callback_(step_, 0, total_);
}

Progress::~Progress() {
  if (callback_) callback_(step_, total_, total_);
}

void Progress::advance(std::uint64_t units) {
  done_ += units;
  if (done_ < next_) return;
  next_ = done_ + total_ / 100 + 1;
  if (callback_) callback_(step_, done_, total_);
}

}  // namespace mora
