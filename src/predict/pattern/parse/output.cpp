/// Output of the parser: buffered files, phase names as file names, and the shorter forms. A directory is written
/// beside its place and renamed at the end, so that an error leaves no half output.
#include "predict/pattern/parse/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace mora::predict {
namespace {

namespace fs = std::filesystem;

/// A file that an earlier parse left: it may be replaced.
bool is_output(const fs::path& file) {
  const auto name = file.filename().string();
  if (name == "global.txt" || name == "communicators.txt") return true;
  if (file.extension() != ".txt") return false;
  std::ifstream text(file);
  std::string first;
  return static_cast<bool>(std::getline(text, first)) && first.starts_with("Coming from ");
}

}  // namespace

Result<std::unique_ptr<DirectorySink>> DirectorySink::open(const std::string& path) {
  std::error_code failed;
  if (fs::exists(path, failed)) {
    if (!fs::is_directory(path, failed))
      return fail(ErrorKind::usage, "the output exists and is not a directory", path, {}, "choose another with -o");
    for (const auto& entry : fs::directory_iterator(path, failed))
      if (!is_output(entry.path()))
        return fail(ErrorKind::usage, "the output directory holds other files", entry.path().string(), {},
                    "choose a new directory with -o");
  }
  auto sink = std::make_unique<DirectorySink>();
  sink->path_ = fs::path(path).lexically_normal().string();
  while (sink->path_.size() > 1 && sink->path_.ends_with('/')) sink->path_.pop_back();
  const std::string temporary = sink->path_ + ".tmp" + std::to_string(::getpid());
  MORA_CHECK_OK(make_directories(temporary));
  sink->temporary_ = temporary;
  return sink;
}

DirectorySink::~DirectorySink() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<void> DirectorySink::append(const std::string& file, std::string_view text) {
  const std::string path = temporary_ + "/" + file;
  const std::string shown = path_ + "/" + file;
  const int out = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (out < 0) return fail(ErrorKind::system, "cannot create the file", shown, system_reason(errno));
  while (!text.empty()) {
    const ssize_t n = ::write(out, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int reason = errno;
      ::close(out);
      return fail(ErrorKind::system, "cannot write the file", shown, system_reason(reason),
                  "free some space or choose another directory with -o");
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  ::close(out);
  return {};
}

Result<void> DirectorySink::finish() {
  std::error_code failed;
  fs::create_directories(path_, failed);
  for (fs::directory_iterator entry(path_, failed), end; !failed && entry != end; entry.increment(failed))
    if (is_output(entry->path())) fs::remove(entry->path(), failed);
  for (fs::directory_iterator entry(temporary_, failed), end; !failed && entry != end; entry.increment(failed))
    fs::rename(entry->path(), fs::path(path_) / entry->path().filename(), failed);
  if (failed) return fail(ErrorKind::system, "cannot put the output in place", path_, failed.message());
  return {};
}

std::string safe_file_name(std::string_view phase) {
  constexpr std::size_t longest = 200;
  std::string name(phase.substr(0, longest));
  for (char& c : name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                      c == '-' || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    if (!kept) c = '_';
  }
  if (name.empty() || name[0] == '.') name.insert(0, 1, '_');
  return name;
}

ParseFiles::ParseFiles(ParseSink& sink, ParseForm form) : sink_(&sink), form_(form) {
  used_ = {"global", "communicators"};
  files_.emplace_back().name = "global.txt";
}

std::uint32_t ParseFiles::of_phase(const std::string& name) {
  if (const auto at = by_phase_.find(name); at != by_phase_.end()) return at->second;
  const std::string safe = safe_file_name(name);
  std::string unique = safe;
  for (int i = 2; !used_.insert(unique).second; ++i) unique = safe + "_" + std::to_string(i);
  const auto number = static_cast<std::uint32_t>(files_.size());
  files_.emplace_back().name = unique + ".txt";
  by_phase_[name] = number;
  return number;
}

void ParseFiles::numbered_line(std::uint32_t file, std::string_view text) {
  auto& f = files_[file];
  const auto [at, added] = f.numbers.try_emplace(std::string(text), static_cast<std::uint32_t>(f.lines.size()));
  if (added) {
    f.lines.push_back(&at->first);
    f.times.push_back(0);
  }
  ++f.times[at->second];
  if (form_ == ParseForm::loops) f.order.push(at->second);
}

/// "N x LINE" is the line N times; "N x {" begins what stands N times, up to "}".
void ParseFiles::unfold(std::uint32_t file, const Sequence& order, const std::vector<Sequence::Item>& items,
                        std::size_t depth) {
  auto& buffer = files_[file].buffer;
  for (const auto& item : items) {
    buffer.append(depth, ' ');
    if (item.times != 1) buffer += std::to_string(item.times) + " x ";
    if (item.is_loop) {
      buffer += "{\n";
      unfold(file, order, order.loops[item.index].body, depth + 1);
      buffer.append(depth, ' ') += "}\n";
    } else {
      buffer += *files_[file].lines[item.index];
    }
    if (buffer.size() >= part) flush(file);
  }
}

void ParseFiles::flush(std::uint32_t file) {
  auto& f = files_[file];
  if (state_) state_ = sink_->append(f.name, f.buffer);
  bytes_ += f.buffer.size();
  f.buffer.clear();
}

Result<void> ParseFiles::finish() {
  for (std::uint32_t file = 0; file < files_.size(); ++file) {
    if (form_ == ParseForm::loops) {
      const Sequence order = files_[file].order.finish();
      unfold(file, order, order.items, 0);
    }
    if (form_ == ParseForm::counts) {
      const auto& f = files_[file];
      Sequence order;
      for (std::uint32_t i = 0; i < f.lines.size(); ++i) order.items.push_back({i, false, f.times[i]});
      unfold(file, order, order.items, 0);
    }
    flush(file);  // also of an empty file, so that it is made
  }
  return state_;
}

}  // namespace mora::predict
