#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run(const Arguments&) { return fail(ErrorKind::internal, "pattern dryrun: being built"); }

}  // namespace

const Verb verb_pattern_dryrun{.name = "pattern dryrun", .summary = "run chosen ranks of a job of any size on this machine", .description = "", .positionals = {}, .options = {}, .examples = {}, .run = run};

}  // namespace mora::cli
