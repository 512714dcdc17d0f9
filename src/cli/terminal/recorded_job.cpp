#include "cli/terminal/recorded_job.h"

#include <cstdio>

#include "cli/options/bytes_option.h"

namespace mora::cli {

std::string directory_argument(std::string text) {
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

Result<experiment::RecordOptions> job_options(const Arguments& arguments, const std::string& directory) {
  experiment::RecordOptions options;
  options.command = arguments.positionals;
  options.directory = directory_argument(arguments.get(directory));
  options.flavour = arguments.get("mpi");
  if (arguments.has("chunk-bytes")) {
    const auto bytes = bytes_of(arguments.get("chunk-bytes"));
    if (!bytes || *bytes < 1 << 15 || *bytes > 1 << 30)
      return fail(ErrorKind::usage, "this is not a chunk size", "--chunk-bytes " + arguments.get("chunk-bytes"),
                  "it must be between 32K and 1024M, for example 512K or 4M", "leave it out: the default is 1M");
    options.chunk_bytes = *bytes;
  }
  options.keep_journals = arguments.has("keep-journal");
  return options;
}

void print_outcome(const launcher::Outcome& outcome, bool quiet) {
  if (outcome.was_stuck)
    std::fputs("mora: all processes had ended, but the launcher did not end: it was killed\n", stderr);
  else if (outcome.signal != 0)
    std::fprintf(stderr, "mora: the launcher was killed by signal %d\n", outcome.signal);
  else if (outcome.exit_code != 0 && !quiet)
    std::fprintf(stderr, "mora: the launcher ended with exit code %d\n", outcome.exit_code);
}

Result<int> exit_of(int launcher_exit, const std::optional<Error>& error) {
  if (!error) return launcher_exit;
  if (launcher_exit == 0) return tl::unexpected(*error);
  std::fprintf(stderr, "mora: error: %s\n", error->text().c_str());
  return launcher_exit;
}

}  // namespace mora::cli
