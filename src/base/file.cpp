#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace mora {
namespace {

tl::unexpected<Error> cannot(const char* what, const std::string& path) {
  const int e = errno;
  std::string help;
  if (e == ENOSPC) help = "free some space or choose another directory";
  if (e == EACCES || e == EROFS) help = "choose a directory that you may use";
  const bool reading = e == ENOENT || e == EISDIR;
  return fail(reading ? ErrorKind::unreadable : ErrorKind::system, what, path, system_reason(e), help);
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Result<std::string> read_file(const std::string& path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return cannot("cannot open the file", path);
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.fd, buffer, sizeof buffer);
    if (n == 0) return content;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot("cannot read the file", path);
    content.append(buffer, static_cast<std::size_t>(n));
  }
}

Result<void> write_file_atomically(const std::string& path, std::string_view content) {
  // A device or a pipe (/dev/stdout, /dev/full) is written to; renaming onto it would replace it by a file.
  struct stat status {};
  const bool in_place = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  const std::string temporary = in_place ? path : path + ".tmp" + std::to_string(::getpid());
  {
    Descriptor file{
        ::open(temporary.c_str(), in_place ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.fd < 0) return cannot("cannot create the file", path);
    while (!content.empty()) {
      const ssize_t n = ::write(file.fd, content.data(), content.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        auto error = cannot("cannot write the file", path);
        if (!in_place) ::unlink(temporary.c_str());
        return error;
      }
      content.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  if (in_place) return {};
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    auto error = cannot("cannot put the file in place", path);
    ::unlink(temporary.c_str());
    return error;
  }
  return {};
}

Result<void> make_directories(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) {
    return fail(ErrorKind::system, "cannot create the directory", path, code.message(), "choose another place with -o");
  }
  return {};
}

Result<std::string> make_numbered_directory(const std::string& name) {
  for (int n = 1;; ++n) {
    const std::string candidate = n == 1 ? name : name + "-" + std::to_string(n);
    if (::mkdir(candidate.c_str(), 0777) == 0) return candidate;
    if (errno != EEXIST) return cannot("cannot create the directory", candidate);
  }
}

std::string find_installed(const std::string& name, const char* place) {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) return "";
  for (const char* folder : {place, "lib/mora", "lib/x86_64-linux-gnu/mora", "lib64/mora", "libexec/mora"}) {
    const std::filesystem::path path = self.parent_path().parent_path() / folder / name;
    if (std::filesystem::exists(path, failed)) return path.string();
  }
  return "";
}

std::string obstacle_to_writing(const std::string& path, std::size_t bytes) {
  std::filesystem::path place(path);
  std::error_code failed;
  while (!std::filesystem::is_directory(place, failed) && place.has_relative_path()) place = place.parent_path();
  std::string name = (place / ".mora-XXXXXX").string();
  Descriptor file{::mkostemp(name.data(), O_CLOEXEC)};
  if (file.fd < 0) return system_reason(errno);
  ::unlink(name.c_str());
  const int obstacle = ::posix_fallocate(file.fd, 0, static_cast<off_t>(bytes));
  return obstacle == 0 ? "" : system_reason(obstacle);
}

bool file_exists(const std::string& path) {
  std::error_code code;
  return std::filesystem::exists(path, code);
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // opening a pipe would wait for its writer
  if (file.fd < 0) return cannot("cannot open the file", path);
  struct stat status;
  if (::fstat(file.fd, &status) != 0) return cannot("cannot inspect the file", path);
  if (S_ISDIR(status.st_mode))
    return fail(ErrorKind::unreadable, "cannot open the file", path, "it is a directory", "give a file in it");
  if (S_ISFIFO(status.st_mode))
    return fail(ErrorKind::unreadable, "cannot open the file", path, "it is a pipe", "write it to a file first");
  MappedFile mapped;
  if (status.st_size == 0) return mapped;
  void* data = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) return cannot("cannot map the file", path);
  mapped.data_ = data;
  mapped.size_ = static_cast<std::size_t>(status.st_size);
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void MappedFile::forget() const {
  if (data_ != nullptr) (void)::madvise(data_, size_, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace mora
