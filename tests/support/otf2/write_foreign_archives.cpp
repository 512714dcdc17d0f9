// Writes each kind of foreign archive into a directory of its own, for other readers to read.
#include <cstdio>
#include <filesystem>
#include <string>

#include "support/otf2/foreign_archive.h"

int main(int argc, char** argv) {
  using mora::trace::Foreign;
  if (argc != 2) {
    std::fputs("usage: write_foreign_archives DIRECTORY\n", stderr);
    return 2;
  }
  const std::pair<const char*, Foreign> kinds[] = {{"score_p", Foreign::score_p}, {"openmp", Foreign::openmp},
                                                   {"eztrace", Foreign::eztrace}, {"damaged", Foreign::damaged},
                                                   {"tasks", Foreign::tasks},     {"no_place", Foreign::no_place}};
  for (const auto& [name, kind] : kinds) {
    const std::string directory = std::string(argv[1]) + "/" + name;
    std::filesystem::create_directories(directory);
    mora::trace::ForeignArchive::write(kind, directory);
  }
  return 0;
}
