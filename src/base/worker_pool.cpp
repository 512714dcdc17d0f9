#include "base/worker_pool.h"

#include <sched.h>
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mora {

unsigned usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}

void run_tasks(std::size_t count, unsigned workers, const std::function<void(std::size_t)>& task) {
  if (workers == 0) workers = usable_cores();
  workers = static_cast<unsigned>(std::min<std::size_t>(workers, count));
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr first_exception;
  std::mutex mutex;
  auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < count;) {
      try {
        task(i);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!first_exception) first_exception = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned w = 1; w < workers; ++w) threads.emplace_back(work);
    work();
  }
  if (first_exception) std::rethrow_exception(first_exception);
}

}  // namespace mora
