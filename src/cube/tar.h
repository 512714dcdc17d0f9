/// The tar container of a .cubex file: POSIX ustar headers, PAX size records for members of 8 GiB and more.
/// Reads what GNU tar, libarchive, CubeLib and CubeW write (octal and base-256 sizes, PAX path and size, GNU
/// long names). Source: POSIX.1-2017 pax, "ustar Interchange Format" and "pax Header".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace mora::cube {

/// A regular file in an archive.
struct TarMember {
  std::string name;
  std::span<const std::byte> content;  ///< points into the archive's bytes
};

/// The members of an archive, and what was unusual about it.
struct TarListing {
  bool has_end = false;            ///< the zero block that ends an archive is there (CubeLib leaves it out)
  std::vector<TarMember> members;  ///< regular files, in archive order
  std::uint64_t bad_checksums =
      0;  ///< headers whose sum is wrong but whose fields make sense (CubeLib < 4.5 wrote such)
};

/// The regular files of an archive. An Error (unreadable) if a member is cut or a header makes no sense; its `where`
/// is the byte offset. `bytes` must outlive the result.
Result<TarListing> list_tar(std::span<const std::byte> bytes);

/// Header block(s) of a regular file of `size` bytes, mode 0644, mtime 0: 512 bytes, or 1536 with a PAX header.
std::string tar_header(const std::string& name, std::uint64_t size);

/// Zero bytes that bring `size` to a multiple of 512.
std::string tar_padding(std::uint64_t size);

/// The two zero blocks that end an archive.
std::string tar_end();

}  // namespace mora::cube
