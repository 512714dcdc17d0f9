/// `mora map --mode slurm`: srun's --distribution.
#include "cli/map_modes.h"

namespace mora::cli {
Result<Mapped> map_as_slurm(const MapWords&) { return fail(ErrorKind::internal, "map: --mode slurm is being built"); }
}  // namespace mora::cli
