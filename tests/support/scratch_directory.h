/// A directory for tests of code that takes paths; gone with its contents at the end. Of a test that was killed it
/// stays: the first one of a process removes those that nobody has touched for longer than any test runs.
/// std::runtime_error if it, or a file in it, cannot be made.
#pragma once

#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mora {

class ScratchDirectory {
 public:
  static constexpr const char* in_memory = "/dev/shm";

  explicit ScratchDirectory(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : path_((parent / "mora-test-XXXXXX").string()) {
    [[maybe_unused]] static const bool removed = (remove_leftovers(), true);
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no directory in " + parent.string());
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Returns the file's path; folders in `name` are made.
  std::string write(const std::string& name, std::string_view content) const {
    const std::string file_name = path(name);
    std::filesystem::create_directories(std::filesystem::path(file_name).parent_path());
    if (!(std::ofstream(file_name, std::ios::binary) << content).flush())
      throw std::runtime_error("cannot write " + file_name);
    return file_name;
  }

 private:
  static void remove_leftovers() {
    const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(6);
    for (const std::filesystem::path& parent :
         {std::filesystem::path(in_memory), std::filesystem::temp_directory_path()}) {
      std::error_code ignored;  // another process may be removing the same
      for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
        if (!entry.path().filename().string().starts_with("mora-test-")) continue;
        const auto touched = entry.last_write_time(ignored);
        if (!ignored && touched < long_ago) std::filesystem::remove_all(entry.path(), ignored);
      }
    }
  }

  std::string path_;
};

}  // namespace mora
