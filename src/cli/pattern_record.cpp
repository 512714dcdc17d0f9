#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run(const Arguments&) { return fail(ErrorKind::internal, "pattern record: being built"); }

}  // namespace

const Verb verb_pattern_record{.name = "pattern record", .summary = "record what every rank communicates, without times", .description = "", .positionals = {}, .options = {}, .examples = {}, .run = run};

}  // namespace mora::cli
