/// The files of a directory of text traces, and their lines. Files are open only while a part of them is read, so that
/// there may be more of them than descriptors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"

namespace mora::predict {

struct TextTraceFile {
  std::uint32_t rank = 0;
  std::string path;
  std::uint64_t size = 0;  ///< bytes
};

struct TextFiles {
  std::vector<TextTraceFile> files;  ///< ascending by rank
  std::uint32_t world_size = 0;      ///< the largest rank and one
  DataQuality quality;               ///< missing ranks, files that are not traces
};

/// ti_trace<rank>.txt of `directory`, or else the files <text><rank>.txt of the text with most of them. Errors
/// (unreadable): there are none.
Result<TextFiles> find_text_files(const std::string& directory);

/// What could not be read of one file.
struct TextDamage {
  std::uint64_t lines = 0;         ///< that are not records
  std::vector<std::string> first;  ///< "file:line:column: expected …", the first few
  bool cut = false;                ///< the last line has no line feed
  std::uint64_t foreign = 0;       ///< records of another rank than the file's name says
};

/// "file:line:column: expected …".
std::string text_place(const TextTraceFile& file, std::uint64_t line, const Error& error);

/// Rows of the quality table: few, however many files are damaged.
void report_text_damage(const std::vector<TextDamage>& damage, const std::vector<TextTraceFile>& files,
                        DataQuality& quality);

/// The lines of one file, part by part.
class TextLines {
 public:
  TextLines(const TextTraceFile& file, std::size_t part_bytes) : file_(&file), part_bytes_(part_bytes) {}
  /// The next line without its line feed, valid until the next call; false at the end. Errors (system): cannot read.
  Result<bool> next(std::string_view& line);
  std::uint64_t number() const { return number_; }  ///< of the line, from 1
  std::uint64_t consumed() const { return offset_ - (text_.size() - at_); }
  bool cut() const { return cut_; }
  void rewind();
  /// A line's bytes that are too many to be a record are left out; this many at least are kept.
  static constexpr std::size_t longest_line = std::size_t{1} << 16;

 private:
  Result<void> fill();
  const TextTraceFile* file_;
  std::size_t part_bytes_;
  std::string text_;
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0, number_ = 0;
  bool ended_ = false, cut_ = false;
};

}  // namespace mora::predict
