/// A small file system in memory (tmpfs) as the place of temporary files, for as long as it lives; where mounting is
/// allowed.
#pragma once

#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace mora {

struct SmallPlace {
  explicit SmallPlace(const std::string& size) {
    const char* given = std::getenv("TMPDIR");
    had_ = given != nullptr;
    before_ = had_ ? given : "";
    if (::mkdtemp(path.data()) == nullptr) return;
    is_mounted = ::mount("mora-test", path.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
    if (is_mounted) ::setenv("TMPDIR", path.c_str(), 1);
  }
  SmallPlace(const SmallPlace&) = delete;
  SmallPlace& operator=(const SmallPlace&) = delete;
  ~SmallPlace() {
    had_ ? ::setenv("TMPDIR", before_.c_str(), 1) : ::unsetenv("TMPDIR");
    if (is_mounted) ::umount2(path.c_str(), MNT_DETACH);
    ::rmdir(path.c_str());
  }
  std::uint64_t free() const {
    struct statvfs place {};
    return ::statvfs(path.c_str(), &place) == 0 ? place.f_bavail * place.f_frsize : 0;
  }

  std::string path = "/tmp/mora-small-XXXXXX";
  bool is_mounted = false;

 private:
  bool had_ = false;
  std::string before_;
};

}  // namespace mora
