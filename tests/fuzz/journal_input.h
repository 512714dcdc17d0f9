/// A journal as one input. A header whose live chunk is named "#N" has it in the last N bytes of the input; any other
/// name is emptied, so that no input can make a reader open a foreign file.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "journal/format.h"
#include "support/scratch_directory.h"

namespace mora::fuzz {

/// Cuts the live chunk off the input and names its file in the header.
inline std::string take_live_chunk(std::string& journal, const std::string& live_path) {
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

/// Writes the journal as `name` and its live chunk as "live"; returns the journal's path.
inline std::string write_journal(const ScratchDirectory& directory, const std::string& name,
                                 std::span<const std::byte> bytes) {
  std::string content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string live = take_live_chunk(content, directory.path("live"));
  if (!live.empty()) directory.write("live", live);
  return directory.write(name, content);
}

/// One or two journals of a job: the pid of the first header says where the second begins.
inline void write_journals(const ScratchDirectory& directory, const std::string& folder,
                           std::span<const std::byte> bytes) {
  std::uint32_t first = 0;
  if (bytes.size() >= sizeof(mora_file_header))
    std::memcpy(&first, bytes.data() + offsetof(mora_file_header, pid), sizeof first);
  const bool two = first >= sizeof(mora_file_header) && first < bytes.size();
  write_journal(directory, folder + "/1.0.journal", two ? bytes.first(first) : bytes);
  if (two) write_journal(directory, folder + "/1.1.journal", bytes.subspan(first));
}

}  // namespace mora::fuzz
