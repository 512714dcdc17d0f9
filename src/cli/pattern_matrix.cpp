#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run(const Arguments&) { return fail(ErrorKind::internal, "pattern matrix: being built"); }

}  // namespace

const Verb verb_pattern_matrix{.name = "pattern matrix", .summary = "who sends how much to whom", .description = "", .positionals = {}, .options = {}, .examples = {}, .run = run};

}  // namespace mora::cli
