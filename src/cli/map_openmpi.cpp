/// `mora map --mode openmpi`: mpirun's words go to the placement as they are.
#include "cli/map_modes.h"

namespace mora::cli {
Result<Mapped> map_as_openmpi(const MapWords&) { return fail(ErrorKind::internal, "map: --mode openmpi is being built"); }
}  // namespace mora::cli
