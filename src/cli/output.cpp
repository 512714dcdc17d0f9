#include "cli/output.h"

#include <cstdio>

#include "base/file.h"

namespace mora::cli {

Result<int> put_out(const std::string& file, const std::string& text) {
  if (file.empty() || file == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  MORA_CHECK_OK(write_file_atomically(file, text));
  std::printf("wrote %s\n", file.c_str());
  return 0;
}

void print_warning(const std::string& text) { std::fprintf(stderr, "mora: warning: %s\n", text.c_str()); }

}  // namespace mora::cli
