#include "trace/readers/paraver/syntax/line_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/interruption.h"
#include "trace/readers/building/packed_bytes.h"

namespace mora::trace::paraver {

/// Bytes of a file or of a text in memory.
struct LineReader::File {
  gzFile packed = nullptr;
  PackedBytes bytes;
  std::string_view text;

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (packed != nullptr) gzclose(packed);
  }

  /// Number of bytes read; `why` is set when something is wrong with the file.
  std::size_t read(char* to, std::size_t size, std::string& why) {
    if (packed == nullptr) {
      size = std::min(size, text.size());
      std::memcpy(to, text.data(), size);
      text.remove_prefix(size);
      return size;
    }
    const int got = gzread(packed, to, static_cast<unsigned>(std::min<std::size_t>(size, 1U << 20)));
    bytes.tell(packed);
    int number = Z_OK;
    const char* message = gzerror(packed, &number);
    if (number == Z_ERRNO) why = system_reason(errno);
    if (number != Z_OK && number != Z_ERRNO && number != Z_STREAM_END)
      why = number == Z_BUF_ERROR ? "the compressed file ends too early" : message;
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
};

namespace {

constexpr std::size_t usual_buffer = 256 << 10;

}  // namespace

LineReader::LineReader(std::unique_ptr<File> file, std::size_t buffer) : file_(std::move(file)), buffer_(buffer) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<LineReader> LineReader::open(const std::string& path, unsigned times) {
  auto file = std::make_unique<File>();
  errno = 0;
  file->packed = gzopen(path.c_str(), "rb");
  if (file->packed == nullptr)
    return fail(ErrorKind::unreadable, "cannot open the file", path, system_reason(errno == 0 ? ENOMEM : errno),
                "check the path and the permissions");
  gzbuffer(file->packed, 128 << 10);
  PackedBytes::will_read(path, times);
  return LineReader(std::move(file), usual_buffer);
}

LineReader LineReader::of(std::string_view text) {
  auto file = std::make_unique<File>();
  file->text = text;
  return {std::move(file), std::clamp<std::size_t>(text.size() + 1, 256, usual_buffer)};
}

/// Makes room and reads on; false at the end.
bool LineReader::fill() {
  if (ended_ || is_interrupted()) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(std::min(2 * buffer_.size(), longest_line));
  const std::size_t got = file_->read(buffer_.data() + end_, buffer_.size() - end_, failure_);
  end_ += got;
  bytes_ += got;
  if (got == 0 || !failure_.empty()) ended_ = true;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  bool skipping = false;
  while (true) {
    const void* found = end_ > searched ? std::memchr(buffer_.data() + searched, '\n', end_ - searched) : nullptr;
    if (found != nullptr) {
      const std::size_t at = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      line = {buffer_.data() + begin_, at - begin_};
      begin_ = searched = at + 1;
      ++number_;
      whole_ = true;
      if (skipping) {
        skipping = false;
        continue;
      }
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      return true;
    }
    if (end_ - begin_ == longest_line) {
      if (!skipping) ++too_long_;
      skipping = true;
      begin_ = end_ = 0;
    }
    searched = end_ - begin_;
    if (fill()) continue;
    line = {buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    if (line.empty() || skipping) return false;
    ++number_;
    whole_ = false;
    if (line.back() == '\r') line.remove_suffix(1);
    return true;
  }
}

}  // namespace mora::trace::paraver
