// The journal reader takes paths, so the bytes become files in /dev/shm. A header whose live chunk is named "#N" has it
// in the last N bytes of the input; any other name is emptied, so that no input can make the reader open a foreign
// file.
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

#include "broken_promise.h"
#include "cube/cubex.h"
#include "journal/journal_reader.h"
#include "journal/journal_text.h"
#include "readers.h"

namespace mora::fuzz {
namespace {

std::string new_directory() {
  char name[] = "/dev/shm/mora-fuzz-XXXXXX";
  require(mkdtemp(name) != nullptr, "/dev/shm can be written");
  return name;
}

void write(const std::string& path, std::string_view content) {
  FILE* file = std::fopen(path.c_str(), "wb");
  require(file != nullptr, "/dev/shm can be written");
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  require(std::fclose(file) == 0 && written, "/dev/shm can be written");
}

/// Cuts the live chunk off the input and names its file in the header.
std::string take_live_chunk(std::string& journal, const std::string& live_path) {
  constexpr std::size_t at = offsetof(mora_file_header, live_chunk);
  constexpr std::size_t length = sizeof(mora_file_header::live_chunk);
  if (journal.size() < sizeof(mora_file_header)) return "";
  std::size_t size = 0;
  const bool given = journal[at] == '#';
  if (given) std::from_chars(journal.data() + at + 1, journal.data() + at + length, size);
  std::memset(journal.data() + at, 0, length);
  if (!given || size > journal.size() - sizeof(mora_file_header)) return "";
  std::memcpy(journal.data() + at, live_path.data(), live_path.size());
  std::string live = journal.substr(journal.size() - size);
  journal.resize(journal.size() - size);
  return live;
}

}  // namespace

bool read_cubex(std::span<const std::byte> bytes) {
  const auto file = cube::read_cubex_bytes(bytes);
  if (!file) return false;
  const cube::Cube& cube = file->cube;
  for (cube::CallPathId path = 0; path < cube.call_paths.size(); ++path) {
    const cube::CallPathId parent = cube.call_paths[path].parent;
    require(parent == cube::no_id || parent < path, "call paths: parents before children");
  }
  for (cube::MetricId metric = 0; metric < cube.metrics.size(); ++metric) {
    const cube::MetricId parent = cube.metrics[metric].parent;
    require(parent == cube::no_id || parent < metric, "metrics: parents before children");
    for (cube::CallPathId path = 0; path < cube.call_paths.size(); ++path) {
      const std::size_t cells = cube.row(metric, path).size();
      require(cells == 0 || cells == cube.locations.size(), "a row covers all locations");
    }
  }
  return true;
}

bool read_journal(std::span<const std::byte> bytes) {
  std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string directory = new_directory();
  const std::string path = directory + "/0.journal";
  const std::string live_path = directory + "/live";
  write(live_path, take_live_chunk(content, live_path));
  write(path, content);
  DataQuality quality;
  bool accepted = false;
  {
    const auto journal = journal::Journal::open(path, quality);
    accepted = journal.has_value();
    if (accepted) {
      auto cursor = journal->records();
      journal::Record record;
      while (cursor.next(record)) journal::text_of(record, [](unsigned function) { return std::to_string(function); });
      journal->host();
      journal->program();
      journal->mpi_library();
    }
  }
  unlink(path.c_str());
  unlink(live_path.c_str());
  rmdir(directory.c_str());
  return accepted;
}

}  // namespace mora::fuzz
