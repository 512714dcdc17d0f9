#include "cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

namespace mora::cli {

bool use_colour() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

unsigned terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

bool terminal_takes_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) continue;
    std::string encoding;
    for (const char c : std::string_view(value)) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        encoding += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    return encoding.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace mora::cli
