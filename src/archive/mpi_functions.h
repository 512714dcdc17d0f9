/// What OTF2 wants to know of an MPI function, from its name alone.
#pragma once

#include <otf2/otf2.h>

#include <optional>
#include <string_view>

namespace mora::archive {

/// Role of the region of the function; OTF2_REGION_ROLE_FUNCTION where no better one exists.
OTF2_RegionRole region_role(std::string_view function);

/// Operation of a collective that moves data or synchronises (blocking forms, also the large-count `_c` forms);
/// nothing for all other functions.
std::optional<OTF2_CollectiveOp> collective_operation(std::string_view function);

}  // namespace mora::archive
