#include "base/storage/room.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace mora {

bool has_room(int file, std::uint64_t bytes) {
  if (!std::in_range<off_t>(bytes)) return false;
  int done = 0;
  do {
    done = ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes));
  } while (done != 0 && errno == EINTR);
  if (done == 0) return true;
  // Any other error is about the question, not about room: EOPNOTSUPP and ENOSYS of file systems and sandboxes without
  // fallocate, EINVAL of no bytes, ENODEV and ESPIPE of what is no file. Who took them for "no room" would hold in
  // memory what the disk has room for; who is wrong the other way gets the error of write(), which names the place.
  return errno != ENOSPC && errno != EDQUOT && errno != EFBIG && errno != ENOMEM;
}

std::string temporary_directory() {
  const char* given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

int open_temporary() {
  std::string name = temporary_directory();
  int file = ::open(name.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  file = ::mkostemp((name += "/mora-XXXXXX").data(), O_CLOEXEC);  // file systems without O_TMPFILE
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

}  // namespace mora
