// Writes ti_trace<rank>.txt of every rank; write.cpp makes the lines.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <optional>

#include "base/file.h"
#include "base/worker_pool.h"
#include "predict/pattern/text/text_trace.h"

namespace mora::predict {
namespace {

constexpr std::size_t part_bytes = std::size_t{1} << 20;

/// A file that grows part by part. After an error nothing more is written.
class TextFile {
 public:
  explicit TextFile(std::string path)
      : path_(std::move(path)), file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ < 0) failed(errno);
    text_.reserve(part_bytes + 4096);
  }
  ~TextFile() {
    if (file_ >= 0) close(file_);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  void add(const TextRecord& record) {
    append_text_record(record, text_);
    if (text_.size() >= part_bytes) flush();
  }
  Result<std::uint64_t> finish() {
    flush();
    if (file_ >= 0 && close(std::exchange(file_, -1)) != 0 && !error_) failed(errno);
    if (error_) return tl::unexpected(*error_);
    return bytes_;
  }

 private:
  void failed(int reason) {
    error_ = Error{ErrorKind::system, "cannot write the text trace", path_, system_reason(reason),
                   "free space or choose another directory"};
  }
  void flush() {
    for (std::size_t done = 0; done < text_.size() && !error_;) {
      const auto written = ::write(file_, text_.data() + done, text_.size() - done);
      if (written >= 0)
        done += static_cast<std::size_t>(written);
      else if (errno != EINTR)
        failed(errno);
    }
    bytes_ += text_.size();
    text_.clear();
  }

  std::string path_, text_;
  int file_;
  std::uint64_t bytes_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<std::uint64_t> write_text_traces(const PatternTrace& trace, const std::string& directory,
                                        const ProgressCallback& progress) {
  MORA_CHECK_OK(make_directories(directory));
  std::vector<Result<std::uint64_t>> results(trace.ranks.size(), std::uint64_t{0});
  Progress steps(progress, "writing text traces", trace.ranks.size());
  std::mutex mutex;
  run_tasks(trace.ranks.size(), 0, [&](std::size_t i) {
    TextFile file(fmt::format("{}/ti_trace{}.txt", directory, trace.ranks[i].rank));
    DataQuality ignored;  // the trace's own table has the receives that never completed (receive-not-completed)
    to_text_records(
        trace, trace.ranks[i], [&](const TextRecord& record) { file.add(record); }, ignored);
    results[i] = file.finish();
    const std::lock_guard lock(mutex);
    steps.advance(1);
  });
  std::uint64_t bytes = 0;
  for (const auto& result : results) {
    if (!result) return tl::unexpected(result.error());
    bytes += *result;
  }
  return bytes;
}

}  // namespace mora::predict
