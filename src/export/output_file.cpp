/// Text is collected in a buffer of 1 MiB and written to a temporary file beside the target, which commit() renames.
/// Errors of the system are kept until commit(), so writers need not check each line.
#include "export/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace mora::exports {
namespace {

tl::unexpected<Error> cannot(const char* what, const std::string& path, int number) {
  return fail(ErrorKind::system, what, path, system_reason(number),
              number == ENOSPC || number == EDQUOT ? "free space on this file system or choose another place with -o"
                                                   : "choose another place with -o");
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, bool force) {
  std::unique_ptr<OutputFile> file(new OutputFile());
  file->path_ = path;
  if (path == "-") {
    file->fd_ = ::dup(STDOUT_FILENO);
    if (file->fd_ < 0) return cannot("cannot write to standard output", path, errno);
    return file;
  }
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return fail(ErrorKind::usage, "cannot write the file", path, "it is a directory", "name a file with -o");
  const bool in_place = exists && !S_ISREG(status.st_mode);
  if (exists && !in_place && !force)
    return fail(ErrorKind::usage, "the output exists", path, "", "choose another with -o, or replace it with --force");
  if (!in_place) file->temporary_ = path + ".tmp" + std::to_string(::getpid());
  file->fd_ = ::open(in_place ? path.c_str() : file->temporary_.c_str(),
                     in_place ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file->fd_ < 0) {
    const int number = errno;
    file->temporary_.clear();
    return cannot("cannot create the file", path, number);
  }
  return file;
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && error_number_ == 0) {
    const ssize_t n = ::write(fd_, rest.data(), rest.size());
    if (n >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
      written_ += static_cast<std::uint64_t>(n);
    } else if (errno != EINTR) {
      error_number_ = errno;
    }
  }
  buffer_.clear();
}

Result<void> OutputFile::commit() {
  flush();
  if (::close(fd_) != 0 && error_number_ == 0) error_number_ = errno;
  fd_ = -1;
  // The reader of a pipe has seen enough: no failure of ours.
  if (temporary_.empty() && error_number_ == EPIPE) return {};
  if (error_number_ != 0) return cannot("cannot write the file", path_, error_number_);
  if (temporary_.empty()) return {};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot("cannot put the file in place", path_, errno);
  temporary_.clear();
  return {};
}

}  // namespace mora::exports
