#include "base/storage/spool.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "base/storage/room.h"

namespace mora {
namespace {

/// Bytes that can be written at a file's place; no limit if the system does not say, or there is none.
std::uint64_t free_bytes(int file) {
  struct statvfs place {};
  if (::fstatvfs(file, &place) != 0 || place.f_blocks == 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(place.f_bavail) * place.f_frsize;
}

tl::unexpected<Error> cannot(int error) {
  return fail(ErrorKind::system, "cannot keep intermediate data", temporary_directory(), system_reason(error),
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
  const int file = open_temporary();
  if (file < 0) return cannot(errno);
  if (const std::uint64_t free = free_bytes(file); share_ != 0 && free != UINT64_MAX)
    least_free_ = free - free / share_;
  file_ = file;
  return {};
}

bool SpoolFile::may_take(std::size_t bytes) const {
  if (share_ == 0) return true;
  const std::uint64_t free = free_bytes(file_);
  return free >= bytes && free - bytes >= least_free_;
}

Result<SpoolFile::Chunk> SpoolFile::keep(std::unique_ptr<std::byte[]> chunk, std::size_t bytes) {
  Chunk kept;
  if (used_.fetch_add(bytes) + bytes <= budget_) {
    kept.memory = std::move(chunk);
    return kept;
  }
  used_.fetch_sub(bytes);
  if (is_closed_) return cannot(ENOSPC);
  MORA_CHECK_OK(open_file());
  if (!may_take(bytes)) return cannot(ENOSPC);
  kept.offset = end_.fetch_add(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = ::pwrite(file_, chunk.get() + done, bytes - done, static_cast<off_t>(kept.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return cannot(n == 0 ? ENOSPC : errno);
    done += static_cast<std::size_t>(n);
  }
  return kept;
}

void SpoolFile::drop(const Chunk& chunk, std::size_t bytes) const {
  if (chunk.memory == nullptr)
    (void)::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(chunk.offset),
                      static_cast<off_t>(bytes));
}

void SpoolFile::drop_all() {
  is_closed_ = true;
  if (file_ >= 0 && ::ftruncate(file_, 0) == 0) end_ = 0;
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
