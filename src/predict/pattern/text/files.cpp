/// Files of text traces and their lines; see files.h. Damage is counted per file and reported in a few rows.
#include "predict/pattern/text/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>

namespace mora::predict {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t named = 5;  ///< files, ranks and lines that a row names

/// "ti_trace12.txt" → "ti_trace", 12.
bool split_name(const std::string& name, std::string& text, std::uint32_t& rank) {
  if (!name.ends_with(".txt")) return false;
  const std::size_t end = name.size() - 4;
  std::size_t digits = end;
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  if (digits == end) return false;
  const auto [after, error] = std::from_chars(name.data() + digits, name.data() + end, rank);
  text = name.substr(0, digits);
  return error == std::errc{} && rank < (1U << 24);
}

std::string few(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(named, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > named ? text + ", …" : text;
}

void report_missing(const TextFiles& found, DataQuality& quality) {
  std::vector<std::string> missing;
  std::uint64_t count = 0;
  std::uint32_t next = 0;
  for (const auto& file : found.files) {
    for (std::uint32_t rank = next; rank < file.rank && missing.size() <= named; ++rank)
      missing.push_back(std::to_string(rank));
    count += file.rank - next;
    next = file.rank + 1;
  }
  quality.add("pattern-rank-missing", Severity::loss, {}, count,
              fmt::format("there is no trace of rank {}; the files are numbered up to {}", few(missing), next - 1),
              "copy all files of the run into the directory");
}

}  // namespace

Result<TextFiles> find_text_files(const std::string& directory) {
  std::map<std::string, std::vector<TextTraceFile>> groups;
  std::vector<std::string> others;
  std::error_code failed;
  fs::directory_iterator entries(directory, failed);
  if (failed)
    return fail(ErrorKind::unreadable, "cannot read the directory of text traces", directory, failed.message());
  for (; entries != fs::directory_iterator(); entries.increment(failed)) {
    if (failed)
      return fail(ErrorKind::unreadable, "cannot read the directory of text traces", directory, failed.message());
    std::error_code unknown;
    if (!entries->is_regular_file(unknown)) continue;
    TextTraceFile file;
    std::string text;
    const auto name = entries->path().filename().string();
    if (split_name(name, text, file.rank)) {
      file.path = entries->path().string();
      file.size = entries->file_size(unknown);
      groups[text].push_back(std::move(file));
    } else if (name.ends_with(".txt")) {
      others.push_back(name);
    }
  }
  if (groups.empty())
    return fail(ErrorKind::unreadable, "there are no text traces", directory,
                "expected ti_trace0.txt, ti_trace1.txt, …", "name the directory that holds them (ti_traces)");
  auto chosen = groups.find("ti_trace");
  if (chosen == groups.end())
    chosen = std::max_element(groups.begin(), groups.end(),
                              [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });

  TextFiles found;
  auto& files = chosen->second;
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return std::tie(a.rank, a.path) < std::tie(b.rank, b.path); });
  for (auto& file : files) {
    if (!found.files.empty() && found.files.back().rank == file.rank)
      others.push_back(fs::path(file.path).filename().string());  // ti_trace3.txt and ti_trace03.txt
    else
      found.files.push_back(std::move(file));
  }
  for (const auto& [text, group] : groups)
    if (text != chosen->first)
      for (const auto& file : group) others.push_back(fs::path(file.path).filename().string());
  std::sort(others.begin(), others.end());
  found.world_size = found.files.back().rank + 1;
  found.quality.add("pattern-other-file", Severity::info, {}, others.size(),
                    "text files that are not traces are not read: " + few(others), {});
  if (found.world_size != found.files.size()) report_missing(found, found.quality);
  return found;
}

std::string text_place(const TextTraceFile& file, std::uint64_t line, const Error& error) {
  const std::string_view column = error.where;  // "column 12"
  return fmt::format("{}:{}:{}: {}", fs::path(file.path).filename().string(), line, column.substr(column.find(' ') + 1),
                     error.why);
}

void report_text_damage(const std::vector<TextDamage>& damage, const std::vector<TextTraceFile>& files,
                        DataQuality& quality) {
  std::uint64_t lines = 0, foreign = 0;
  std::vector<std::string> first, cut, of_others;
  for (std::size_t i = 0; i < damage.size(); ++i) {
    lines += damage[i].lines;
    for (const auto& line : damage[i].first)
      if (first.size() <= named) first.push_back(line);
    if (damage[i].cut) cut.push_back(fs::path(files[i].path).filename().string());
    foreign += damage[i].foreign;
    if (damage[i].foreign != 0) of_others.push_back(fs::path(files[i].path).filename().string());
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(named, first.size()); ++i) list += (i == 0 ? "" : "; ") + first[i];
  if (lines > named) list += "; …";
  quality.add(
      "pattern-bad-line", Severity::loss, {}, lines, "lines that are not records were left out: " + list,
      "the files were cut or altered, or were written by something else: docs/formats/ti-trace.md says what is read");
  quality.add("pattern-cut-file", Severity::warning, {}, cut.size(),
              "the last line has no line feed, its end may be missing: " + few(cut),
              "the program was killed or the file was cut: copy it again");
  quality.add("pattern-foreign-record", Severity::warning, {}, foreign,
              "records name another process than their file; they count as of the file's: " + few(of_others),
              "do not rename the files");
}

void TextLines::rewind() {
  text_.clear();
  at_ = 0;
  offset_ = number_ = 0;
  ended_ = cut_ = false;
}

Result<void> TextLines::fill() {
  text_.erase(0, at_);
  at_ = 0;
  const int file = ::open(file_->path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(ErrorKind::system, "cannot open the text trace", file_->path, system_reason(errno));
  const std::size_t had = text_.size();
  text_.resize(had + part_bytes_);
  ssize_t got = -1;
  do {
    got = ::pread(file, text_.data() + had, part_bytes_, static_cast<off_t>(offset_));
  } while (got < 0 && errno == EINTR);
  const int reason = errno;
  ::close(file);
  text_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) return fail(ErrorKind::system, "cannot read the text trace", file_->path, system_reason(reason));
  ended_ = got == 0 || offset_ + static_cast<std::uint64_t>(got) >= file_->size;
  offset_ += static_cast<std::uint64_t>(got);
  return {};
}

Result<bool> TextLines::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const void* feed = std::memchr(text_.data() + at_ + searched, '\n', text_.size() - at_ - searched);
    if (feed != nullptr) {
      const auto end = static_cast<std::size_t>(static_cast<const char*>(feed) - text_.data());
      line = std::string_view(text_).substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      return true;
    }
    if (ended_) {
      if (at_ == text_.size()) return false;
      line = std::string_view(text_).substr(at_);
      at_ = text_.size();
      ++number_;
      cut_ = true;
      return true;
    }
    searched = text_.size() - at_;
    if (searched > longest_line) {  // no record is that long: keep its beginning for the message
      text_.resize(at_ + longest_line);
      searched = longest_line;
    }
    MORA_CHECK_OK(fill());
  }
}

}  // namespace mora::predict
