#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run(const Arguments&) { return fail(ErrorKind::internal, "pattern parse: being built"); }

}  // namespace

const Verb verb_pattern_parse{.name = "pattern parse", .summary = "the communication pattern of the whole application, per phase", .description = "", .positionals = {}, .options = {}, .examples = {}, .run = run};

}  // namespace mora::cli
