/// The parser's output files: safe names, buffers, loops.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "predict/pattern/parse/parse.h"
#include "predict/pattern/sequence.h"

namespace mora::predict {

/// Where the files go.
class ParseSink {
 public:
  virtual ~ParseSink() = default;
  /// Errors (system): cannot write.
  virtual Result<void> append(const std::string& file, std::string_view text) = 0;
};

/// Into a table.
class MemorySink : public ParseSink {
 public:
  explicit MemorySink(std::map<std::string, std::string>& files) : files_(&files) {}
  Result<void> append(const std::string& file, std::string_view text) override {
    (*files_)[file].append(text);
    return {};
  }

 private:
  std::map<std::string, std::string>* files_;
};

/// A directory that is made beside `path` and takes its place when all is written.
class DirectorySink : public ParseSink {
 public:
  /// Errors: usage: `path` exists and holds something else than an earlier output; system.
  static Result<std::unique_ptr<DirectorySink>> open(const std::string& path);
  ~DirectorySink() override;
  Result<void> append(const std::string& file, std::string_view text) override;
  Result<void> finish();

 private:
  std::string path_, temporary_;
};

/// A phase's name as a file's: letters, digits, '.', '-', '_' and bytes above ASCII stay, all else becomes '_'; without
/// ".txt".
std::string safe_file_name(std::string_view phase);

/// The output files of phases in one of the forms of ParseForm. Not thread-safe. Memory: a part of each file, or, in
/// the shorter forms, its different lines and their folded order.
class ParseFiles {
 public:
  ParseFiles(ParseSink& sink, ParseForm form);
  /// The file of a phase; the same name has the same file. Names that are equal after cleaning get _2, _3 …
  std::uint32_t of_phase(const std::string& name);
  const std::string& name(std::uint32_t file) const { return files_[file].name; }  ///< with ".txt"
  /// One line, with its line feed. Errors are kept for finish().
  void line(std::uint32_t file, std::string_view text) {
    if (form_ != ParseForm::records) return numbered_line(file, text);
    auto& buffer = files_[file].buffer;
    buffer.append(text);
    if (buffer.size() >= part) flush(file);
  }
  /// Writes what is left. The first error of all writing (system).
  Result<void> finish();
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t part = std::size_t{1} << 17;
  struct File {
    std::string name, buffer;
    SequenceBuilder order{1U << 16};
    std::unordered_map<std::string, std::uint32_t> numbers = {};
    std::vector<const std::string*> lines = {};
    std::vector<std::uint64_t> times = {};
  };
  /// Shorter forms: keeps the line's number in order, or counts it.
  void numbered_line(std::uint32_t file, std::string_view text);
  /// Writes a folded sequence of lines as "N x LINE" and "N x {" … "}", indented by depth.
  void unfold(std::uint32_t file, const Sequence& order, const std::vector<Sequence::Item>& items, std::size_t depth);
  void flush(std::uint32_t file);

  ParseSink* sink_;
  ParseForm form_;
  std::vector<File> files_;
  std::map<std::string, std::uint32_t> by_phase_;
  std::set<std::string> used_;
  std::uint64_t bytes_ = 0;
  Result<void> state_ = {};
};

}  // namespace mora::predict
