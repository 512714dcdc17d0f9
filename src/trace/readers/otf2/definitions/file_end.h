/// Where a file of an OTF2 archive really ends. libotf2 takes what is missing of a cut file from its buffer: the
/// records of the chunk before it, again and again without an end, or those of another file.
///
/// An OTF2 file is a row of chunks of equal size, the last one cut behind its end mark; each begins with a header
/// (numbers of its first and last record, 0 in definition files). Records are type, length, content, so that the last
/// chunk can be walked without knowing them. One chunk is read; thread safe. Source: the files that libotf2 3.0 writes;
/// docs/sources.md, "OTF2".
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>

namespace mora::trace::otf2 {

enum class FileKind { definitions, events };

struct FileEnd {
  bool is_cut = false;
  std::uint64_t records = UINT64_MAX;  ///< of a cut event file: those that are there wholly
};

/// Not cut: also a file that is not there, is empty, or is no row of chunks (compressed, damaged at a chunk's begin).
FileEnd file_end(OTF2_Reader* reader, const std::string& path, FileKind kind);

}  // namespace mora::trace::otf2
