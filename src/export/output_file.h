/// A text file of any size, written piece by piece: beside its place first, renamed when it is whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mora::exports {

/// Not thread-safe. Memory: one buffer of 1 MiB. A file that was not committed leaves nothing behind.
class OutputFile {
 public:
  /// `path` "-" is standard output; devices and pipes are written in place. An existing file is an error unless
  /// `force`. Errors: usage (it exists), system (permission, no such directory).
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, bool force);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The first failure sticks and is reported by commit(); afterwards nothing more is written.
  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= limit) flush();
  }
  bool failed() const { return error_number_ != 0; }
  std::uint64_t bytes() const { return written_ + buffer_.size(); }

  /// Writes the rest and puts the file in place. Errors: system (disk full …); then nothing is left.
  Result<void> commit();

 private:
  static constexpr std::size_t limit = 1 << 20;
  OutputFile() = default;
  void flush();

  std::string path_, temporary_;  ///< temporary_ empty: written in place
  std::string buffer_;
  std::uint64_t written_ = 0;
  int fd_ = -1;
  int error_number_ = 0;
};

}  // namespace mora::exports
