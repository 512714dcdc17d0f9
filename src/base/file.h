/// Files: whole-file reads, atomic writes, read-only mappings. All failures carry path and reason.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mora {

Result<std::string> read_file(const std::string& path);

/// Writes beside `path` and renames, so that a full disk never leaves half a file.
Result<void> write_file_atomically(const std::string& path, std::string_view content);

/// mkdir -p.
Result<void> make_directories(const std::string& path);

bool file_exists(const std::string& path);

/// Read-only private mapping of a whole file. An empty file gives an empty span.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mora
