#include "python/trace/opening.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "python/trace/errors.h"

namespace py = pybind11;

namespace mora::python {
namespace {

/// Shared by the thread that opens and the one that waits, which may not wait to the end.
struct Opening {
  OpenOptions options;
  trace::BuildWatch watch;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Result<std::shared_ptr<OpenedTrace>>> result;
};

std::mutex left_mutex;
std::condition_variable left_changed;
int left_running = 0;  ///< threads that nobody waits for

void run(const std::shared_ptr<Opening>& opening) {
  auto result = open(opening->options, &opening->watch);
  const std::lock_guard lock(opening->mutex);
  opening->result.emplace(std::move(result));
  opening->changed.notify_all();
}

/// Nobody waits for it any more.
void leave(std::thread& thread, const std::shared_ptr<Opening>& opening) {
  opening->watch.stop = true;
  {
    const std::lock_guard lock(left_mutex);
    ++left_running;
  }
  std::thread([thread = std::move(thread)]() mutable {
    thread.join();
    const std::lock_guard lock(left_mutex);
    --left_running;
    left_changed.notify_all();
  }).detach();
}

/// Done, of all. A file that is read whole before its events are known: its bytes, and as much again for the index.
std::pair<std::uint64_t, std::uint64_t> progress_of(const trace::BuildWatch& watch) {
  const std::uint64_t bytes = watch.bytes.all, read = std::min(watch.bytes.done.load(), bytes), all = watch.all,
                      done = watch.done;
  if (bytes == 0) return {all == 0 ? done : std::min(done, all), all};
  if (all == 0) return {read, 2 * bytes};
  const double linked = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  return {bytes + static_cast<std::uint64_t>(linked * static_cast<double>(bytes)), 2 * bytes};
}

/// False with a Python error: a signal's handler or the callback raised it.
bool look(const Opening& opening, py::handle progress) {
  if (PyErr_CheckSignals() != 0) return false;
  if (progress.is_none()) return true;
  const auto [done, all] = progress_of(opening.watch);
  PyObject* answer = PyObject_CallFunction(progress.ptr(), "KK", static_cast<unsigned long long>(done),
                                           static_cast<unsigned long long>(all));
  Py_XDECREF(answer);
  return answer != nullptr;
}

}  // namespace

std::shared_ptr<OpenedTrace> open_watched(const OpenOptions& options, py::handle progress) {
  const auto opening = std::make_shared<Opening>();
  opening->options = options;
  std::thread thread(run, opening);
  for (;;) {
    bool ended = false;
    {
      py::gil_scoped_release unlocked;
      std::unique_lock lock(opening->mutex);
      ended =
          opening->changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return opening->result.has_value(); });
    }
    if (ended) break;
    if (look(*opening, progress)) continue;
    leave(thread, opening);
    throw py::error_already_set();
  }
  thread.join();
  if (!*opening->result) throw_error(opening->result->error());
  return std::move(**opening->result);
}

void wait_for_openings() {
  std::unique_lock lock(left_mutex);
  left_changed.wait(lock, [] { return left_running == 0; });
}

}  // namespace mora::python
