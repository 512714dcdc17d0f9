#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run(const Arguments&) { return fail(ErrorKind::internal, "pattern features: being built"); }

}  // namespace

const Verb verb_pattern_features{.name = "pattern features", .summary = "one table of features for predictors", .description = "", .positionals = {}, .options = {}, .examples = {}, .run = run};

}  // namespace mora::cli
