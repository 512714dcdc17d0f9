/// A directory in memory for readers that take paths; gone with its contents at the end.
#pragma once

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "broken_promise.h"

namespace mora::fuzz {

class ScratchDirectory {
 public:
  ScratchDirectory() {
    char name[] = "/dev/shm/mora-fuzz-XXXXXX";
    require(mkdtemp(name) != nullptr, "/dev/shm can be written");
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Folders in `name` are made.
  std::string write(const std::string& name, std::string_view content) const {
    const std::string file_name = path(name);
    std::error_code ignored;
    if (name.find('/') != std::string::npos)
      std::filesystem::create_directories(std::filesystem::path(file_name).parent_path(), ignored);
    FILE* file = std::fopen(file_name.c_str(), "wb");
    require(file != nullptr, "/dev/shm can be written");
    const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
    require(std::fclose(file) == 0 && written, "/dev/shm can be written");
    return file_name;
  }

 private:
  std::string path_;
};

}  // namespace mora::fuzz
