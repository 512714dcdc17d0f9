/// Files: whole-file reads, atomic writes, read-only mappings. Errors carry path and reason: unreadable if the file
/// does not exist or is a directory, else system (permission, disk full). All functions are thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mora {

/// The whole content as bytes.
Result<std::string> read_file(const std::string& path);

/// Writes to a temporary file beside `path` and renames it, so that a full disk never leaves half a file. Devices and
/// pipes are written in place.
Result<void> write_file_atomically(const std::string& path, std::string_view content);

/// Creates a directory and its parents, like mkdir -p; no error if it exists.
Result<void> make_directories(const std::string& path);

/// Makes the directory of the first of name, name-2, name-3 … that is not there, and returns it; its parent must be
/// there. Of several processes that ask at once each gets one of its own. Error (system): it cannot be made.
Result<std::string> make_numbered_directory(const std::string& name);

/// True for files, directories and everything else that the path leads to; false also where it cannot be looked at.
bool file_exists(const std::string& path);

/// A part of this program: in `place` beside the folder of the running program (its build or installation), or in one
/// of the folders where such parts are installed (lib/mora, …). Empty if it is nowhere.
std::string find_installed(const std::string& name, const char* place = "lib");

/// Why `bytes` more cannot be written where `path` stands, in the system's words ("No space left on device"), found out
/// with a temporary file; empty if they can. For libraries that do not tell.
std::string obstacle_to_writing(const std::string& path, std::size_t bytes);

/// Read-only private mapping of a whole file. An empty file gives an empty span. If the file is shortened by others
/// while it is mapped, reading behind its end raises SIGBUS: use it for files that nobody writes.
class MappedFile {
 public:
  /// Errors: it cannot be opened or mapped, is a directory or a pipe.
  static Result<MappedFile> open(const std::string& path);
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();
  /// Gives the pages that are in memory back; they are read again where they are touched. From any thread.
  void forget() const;
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mora
