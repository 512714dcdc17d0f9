#include "cli/scripting/python_process.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace mora::cli {
namespace {

namespace fs = std::filesystem;

/// The folder that holds `mora/` and `_mora*.so`; empty = not found.
std::string package_folder(const fs::path& program) {
  std::error_code ignored;
  for (const char* beside : {"../python", "../lib/mora/python"}) {
    const fs::path folder = (program.parent_path() / beside).lexically_normal();
    if (!fs::exists(folder / "mora" / "scripting.py", ignored)) continue;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().filename().string().rfind("_mora.", 0) == 0 && entry.path().extension() == ".so") return folder;
    }
  }
  return {};
}

}  // namespace

Result<int> become_python(const std::vector<std::string>& words) {
  const char* chosen = std::getenv("MORA_PYTHON");
  const std::string python = chosen != nullptr && *chosen != '\0' ? chosen : "/usr/bin/python3";
  if (::access(python.c_str(), X_OK) != 0)
    return fail(ErrorKind::system, "cannot start Python", python, system_reason(errno),
                "install python3, or set MORA_PYTHON to the path of another one");
  std::error_code error;
  const fs::path program = fs::canonical("/proc/self/exe", error);
  const std::string folder = package_folder(program);
  if (folder.empty())
    return fail(ErrorKind::system, "Mora's Python module is not installed",
                (program.parent_path() / "../lib/mora/python").lexically_normal(), "this Mora was built without it",
                "install python3-dev and pybind11-dev, then build and install again");
  const char* before = std::getenv("PYTHONPATH");
  const std::string path = before != nullptr && *before != '\0' ? folder + ":" + before : folder;
  ::setenv("PYTHONPATH", path.c_str(), 1);
  ::setenv("MORA_COMMAND", program.c_str(), 1);
  std::vector<std::string> all = {python, "-m", "mora.scripting"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(python.c_str(), argv.data());
  return fail(ErrorKind::system, "cannot start Python", python, system_reason(errno), "check the value of MORA_PYTHON");
}

}  // namespace mora::cli
