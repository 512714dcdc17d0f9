/// Lines of a text file that may be gzip, in constant memory (the longest line, at most 16 MiB).
///
/// Reading never fails half-way: what cannot be read ends the lines, and failure() says why. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::trace::paraver {

class LineReader {
 public:
  static constexpr std::size_t longest_line = std::size_t{16} << 20;

  /// The file is going to be opened so many times, this one among them (will_read()); 0: that was said before. Errors
  /// (unreadable): the file cannot be opened.
  static Result<LineReader> open(const std::string& path, unsigned times = 1);
  /// Lines of a text in memory, which must live as long as the reader.
  static LineReader of(std::string_view text);

  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  /// The next line without its end (LF or CR LF), valid until the next call. False: there is none.
  bool next(std::string_view& line);
  std::uint64_t number() const { return number_; }  ///< of the line given last, from 1
  /// The line given last ended with a line end. A cut file's last line does not.
  bool whole() const { return whole_; }
  std::uint64_t too_long() const { return too_long_; }     ///< lines passed over for their length
  const std::string& failure() const { return failure_; }  ///< why the lines ended early; empty: they did not
  std::uint64_t bytes() const { return bytes_; }           ///< unpacked bytes read so far

 private:
  struct File;
  LineReader(std::unique_ptr<File> file, std::size_t buffer);
  bool fill();

  std::unique_ptr<File> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t number_ = 0, too_long_ = 0, bytes_ = 0;
  bool whole_ = true, ended_ = false;
  std::string failure_;
};

}  // namespace mora::trace::paraver
