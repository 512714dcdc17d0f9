/// What OTF2's definitions and records say of an MPI function, from its name alone. Pure functions, thread-safe.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace mora::archive {

/// Role of the region of the function; OTF2_REGION_ROLE_FUNCTION where no better one exists.
OTF2_RegionRole region_role(std::string_view function);

/// Operation of a collective that moves data or synchronises (blocking forms, also the large-count `_c` forms);
/// nothing for all other functions.
std::optional<OTF2_CollectiveOp> collective_operation(std::string_view function);

/// What any form of a collective does: MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, MPI_Neighbor_alltoall ….
struct CollectiveForm {
  enum Kind : std::uint8_t { blocking, non_blocking, persistent };
  OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_BARRIER;
  bool neighborhood = false;  ///< OTF2 has no operation for these: `op` is the one of the same name among all
  Kind kind = blocking;
};
/// Nothing for functions that are no collective.
std::optional<CollectiveForm> collective_form(std::string_view function);

/// What a function that reads or writes a file does; nothing for all others.
struct FileOperation {
  bool writes = false;
  bool collective = false;
  bool completes_later = false;  ///< MPI_File_iread, MPI_File_read_all_begin …
};
std::optional<FileOperation> file_operation(std::string_view function);

}  // namespace mora::archive
