#include "base/storage/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/storage/room.h"

namespace mora {
namespace {

std::string directory() {
  const char* given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

tl::unexpected<Error> cannot(int error) {
  return fail(ErrorKind::system, "cannot keep intermediate data", directory(), system_reason(error),
              "free space there, or name another directory: TMPDIR=/path mora …");
}

}  // namespace

SpoolFile::~SpoolFile() {
  if (file_ >= 0) ::close(file_);
}

bool SpoolFile::has_room(std::uint64_t bytes) {
  SpoolFile file(0);
  return file.open_file() && mora::has_room(file.file_, bytes);
}

Result<void> SpoolFile::open_file() {
  const std::lock_guard lock(mutex_);
  if (file_ >= 0) return {};
  std::string name = directory() + "/mora-spool-XXXXXX";
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return cannot(errno);
  ::unlink(name.c_str());
  file_ = file;
  return {};
}

Result<SpoolFile::Chunk> SpoolFile::keep(std::unique_ptr<std::byte[]> chunk, std::size_t bytes) {
  Chunk kept;
  if (used_.fetch_add(bytes) + bytes <= budget_) {
    kept.memory = std::move(chunk);
    return kept;
  }
  used_.fetch_sub(bytes);
  MORA_CHECK_OK(open_file());
  kept.offset = end_.fetch_add(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = ::pwrite(file_, chunk.get() + done, bytes - done, static_cast<off_t>(kept.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return cannot(n == 0 ? ENOSPC : errno);
    done += static_cast<std::size_t>(n);
  }
  return kept;
}

Result<void> SpoolFile::read(const Chunk& chunk, std::byte* into, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = ::pread(file_, into + done, bytes - done, static_cast<off_t>(chunk.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return cannot(n == 0 ? EIO : errno);
    done += static_cast<std::size_t>(n);
  }
  return {};
}

}  // namespace mora
