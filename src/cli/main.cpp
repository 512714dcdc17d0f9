/// The `mora` command: finds the verb, runs it, and is the only place that prints errors.
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command/command_line.h"

namespace {

using mora::Error;
using mora::ErrorKind;

bool use_colour() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr && terminal != nullptr &&
         std::strcmp(terminal, "dumb") != 0;
}

void print_error(const Error& error) {
  const bool colour = use_colour();
  const char* strong = colour ? "\033[1;31m" : "";
  const char* plain = colour ? "\033[0m" : "";
  std::fflush(stdout);
  std::fprintf(stderr, "%smora: error:%s %s\n", strong, plain, error.text().c_str());
}

/// Output that could not be written is a failure too (disk full behind a redirection).
int finish(int code) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const Error error{ErrorKind::system, "cannot write the output", "standard output", mora::system_reason(errno),
                      "free some space, or write the output to another file system"};
    print_error(error);
    return mora::exit_code(error.kind);
  }
  return code;
}

int run(const std::vector<std::string>& words) {
  auto request = mora::cli::parse_command_line(words);
  if (!request) {
    print_error(request.error());
    return mora::exit_code(request.error().kind);
  }
  if (request->verb == nullptr) {
    std::fputs(request->text.c_str(), stdout);
    return finish(0);
  }
  auto code = request->verb->run(request->arguments);
  if (!code) {
    print_error(code.error());
    return mora::exit_code(code.error().kind);
  }
  return finish(*code);
}

}  // namespace

int main(int argc, char** argv) {
  Error error;
  error.kind = ErrorKind::internal;
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    error.kind = ErrorKind::system;
    error.what = "out of memory";
    error.help = "close other programs, or use a machine with more memory";
  } catch (const std::exception& e) {
    error.what = "a defect of Mora";
    error.why = e.what();
    error.help = "please report it, with the command line";
  }
  print_error(error);
  return mora::exit_code(error.kind);
}
