// The readers of .cubex files and of journals.
#include <string>

#include "broken_promise.h"
#include "cube/cubex.h"
#include "journal/journal_reader.h"
#include "journal/journal_text.h"
#include "journal_input.h"
#include "readers.h"

namespace mora::fuzz {
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
  const ScratchDirectory directory(ScratchDirectory::in_memory);
  const std::string path = write_journal(directory, "0.journal", bytes);
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
  return accepted;
}

}  // namespace mora::fuzz
