#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run(const Arguments&) { return fail(ErrorKind::internal, "map: being built"); }

}  // namespace

const Verb verb_map{.name = "map", .summary = "where mpirun would place each rank", .description = "", .positionals = {}, .options = {}, .examples = {}, .run = run};

}  // namespace mora::cli
