/// Where temporary files go, and whether a file's place has room for what will be written, asked before the work of
/// making it. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace mora {

/// False if the system knows that the first `bytes` of the file cannot all be written: no space, no quota, longer than
/// a file may be there, no memory. Else, where it can, it has set them aside for the file, whose length stays. True
/// also if the system cannot say, as on file systems without fallocate: then writing will tell. `file`: open for
/// writing. Do not ask of a file in memory without a limit (memfd): there they are taken from memory at once, up to the
/// point where the system kills processes.
bool has_room(int file, std::uint64_t bytes);

/// $TMPDIR, else /tmp.
std::string temporary_directory();
/// A file there without a name, to be read and written; -1 and errno if none can be made.
int open_temporary();

}  // namespace mora
