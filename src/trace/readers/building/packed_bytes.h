/// How far a file that zlib reads has been read, in bytes of the file, packed or not.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/interruption.h"

namespace mora::trace {

class PackedBytes {
 public:
  /// `path` is going to be read so often. 0 if it has no size.
  static void will_read(const std::string& path, unsigned times) {
    std::error_code none;
    const auto size = std::filesystem::file_size(path, none);
    if (!none) mora::will_read(times * size);
  }
  /// It is not read a further time after all.
  static void will_not_read(const std::string& path) {
    std::error_code none;
    const auto size = std::filesystem::file_size(path, none);
    if (!none) has_read(size);
  }
  /// What was read since the last time.
  void tell(gzFile file) {
    const z_off_t now = gzoffset(file);
    if (now <= told_) return;
    has_read(static_cast<std::uint64_t>(now - told_));
    told_ = now;
  }

 private:
  z_off_t told_ = 0;
};

}  // namespace mora::trace
