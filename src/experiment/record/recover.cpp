#include "experiment/record/recover.h"

#include "base/file.h"
#include "experiment/journal_files.h"

namespace mora::experiment {

Result<std::vector<Manifest>> recover(const std::string& given, ConvertOptions options) {
  auto directory = given;
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  if (!file_exists(directory))
    return fail(ErrorKind::unreadable, "no such directory", directory, "",
                "give the directory that mora record named, or its -o");
  options.recovered = true;
  if (auto request = read_request(request_path(directory))) options.request = std::move(*request);
  MORA_TRY(auto runs, convert_journals(directory, options));
  if (!runs.empty()) return runs;
  if (file_exists(directory + "/manifest.json"))
    return fail(ErrorKind::usage, "nothing to recover", directory, "it is a complete experiment and holds no journals",
                "go on with: mora analyze " + directory);
  return fail(ErrorKind::unreadable, "nothing to recover", journal_directory(directory),
              "no process left a journal there",
              "if processes ran on other machines, run mora recover where their files are");
}

}  // namespace mora::experiment
