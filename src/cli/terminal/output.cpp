#include "cli/terminal/output.h"

#include <cstdio>
#include <sstream>

#include "base/file.h"
#include "cli/options/count_option.h"
#include "cli/terminal/terminal.h"

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

Result<std::string> output_format(const Arguments& arguments, const std::string& formats) {
  std::vector<std::string> given;
  std::string all, name;
  for (std::istringstream words(formats); words >> name;) {
    all += (all.empty() ? "--" : ", --") + name;
    if (arguments.has(name)) given.push_back(name);
  }
  if (given.size() > 1) return fail(ErrorKind::usage, "more than one output format", "", "", "give one of " + all);
  return given.empty() ? "text" : given[0];
}

Result<TextOptions> text_options(const Arguments& arguments) {
  TextOptions options;
  MORA_TRY(options.top, count_option(arguments, "top", 10));
  options.width = terminal_width();
  options.colour = arguments.get("output").empty() && use_colour();
  return options;
}

void print_warning(const std::string& text) { std::fprintf(stderr, "mora: warning: %s\n", text.c_str()); }

}  // namespace mora::cli
