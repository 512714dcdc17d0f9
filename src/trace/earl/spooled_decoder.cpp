#include "trace/earl/spooled_decoder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace mora::trace::earl {
namespace {

static_assert(std::is_trivially_copyable_v<ViewEvent>);
constexpr std::size_t block_records = 512;

std::string directory() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

tl::unexpected<Error> refused(const char* what, int error_number) {
  return fail(ErrorKind::system, what, "a temporary file in " + directory(), system_reason(error_number),
              "set TMPDIR to a folder with space of about 112 bytes an event, or open the trace with its index");
}

Result<int> temporary_file() {
  std::string path = directory() + "/mora-earl-XXXXXX";
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return refused("cannot spool the trace", errno);
  ::unlink(path.c_str());
  return file;
}

}  // namespace

SpooledDecoder::~SpooledDecoder() { ::close(file_); }

Result<void> SpooledDecoder::append(const ViewEvent& event) {
  block_.push_back(event);
  ++size_;
  return block_.size() < block_records ? Result<void>{} : flush();
}

Result<void> SpooledDecoder::flush() {
  const char* data = reinterpret_cast<const char*>(block_.data());
  for (std::size_t left = block_.size() * sizeof(ViewEvent); left > 0;) {
    const ssize_t written = ::write(file_, data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return refused("cannot spool the trace", written < 0 ? errno : ENOSPC);
    data += written;
    left -= static_cast<std::size_t>(written);
  }
  block_.clear();
  return {};
}

/// Makes the block hold record next_.
Result<void> SpooledDecoder::load() {
  if (next_ >= block_first_ && next_ < block_first_ + block_.size()) return {};
  const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(block_records, size_ - next_));
  block_.resize(count);
  block_first_ = next_;
  char* data = reinterpret_cast<char*>(block_.data());
  const auto offset = static_cast<off_t>(next_ * sizeof(ViewEvent));
  for (std::size_t done = 0; done < count * sizeof(ViewEvent);) {
    const ssize_t got =
        ::pread(file_, data + done, count * sizeof(ViewEvent) - done, offset + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      block_.clear();
      return refused("cannot read the spooled trace", got < 0 ? errno : EIO);
    }
    done += static_cast<std::size_t>(got);
  }
  return {};
}

Result<std::optional<ViewEvent>> SpooledDecoder::read() {
  if (next_ >= size_) return std::nullopt;
  MORA_CHECK_OK(load());
  return block_[static_cast<std::size_t>(next_++ - block_first_)];
}

Result<bool> SpooledDecoder::skip() {
  if (next_ >= size_) return false;
  ++next_;
  return true;
}

bool SpooledDecoder::seek(Mark position) {
  if (position > size_) return false;
  next_ = position;
  return true;
}

Result<std::unique_ptr<SpooledDecoder>> spool(Source& source, RmaModel model, BuildWatch* watch) {
  MORA_TRY(const int file, temporary_file());
  std::unique_ptr<SpooledDecoder> decoder(new SpooledDecoder(source.definitions(), file));
  ViewOptions options;
  options.model = model;
  options.watch = watch;
  MORA_TRY(const auto view, View::make(source, options));
  for (Position p = 1; p <= view->size(); ++p) {
    if (p % 65536 == 0 && watch != nullptr && watch->stop)
      return fail(ErrorKind::system, "the trace was not spooled", "", "it was stopped", "");
    ViewEvent event = view->event(p);
    event.enter = 0;
    MORA_CHECK_OK(decoder->append(event));
  }
  MORA_CHECK_OK(decoder->flush());
  decoder->quality_ = view->quality();
  decoder->measured_ = view->measured();
  if (view->size() != 0) decoder->first_time_ = view->time(1);
  return decoder;
}

}  // namespace mora::trace::earl
