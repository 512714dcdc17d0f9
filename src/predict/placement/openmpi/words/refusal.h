/// The error for requests that mpirun itself refuses.
#pragma once

#include <string>

#include "base/error.h"

namespace mora::predict::openmpi {

/// `kind`: the sort of refusal in mpirun's terms ("not enough slots"); it becomes the error's `why`.
inline tl::unexpected<Error> refuse(std::string kind, const std::string& what, std::string help = {},
                                    std::string where = {}) {
  return fail(ErrorKind::usage, "mpirun would refuse: " + what, std::move(where), std::move(kind), std::move(help));
}

}  // namespace mora::predict::openmpi
