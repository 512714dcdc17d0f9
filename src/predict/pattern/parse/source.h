/// The parser's two kinds of input: text traces, part by part, and a pattern trace in memory.
#pragma once

#include <memory>
#include <string>

#include "predict/pattern/parse/step.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

/// `directory` holds text traces. Errors as find_text_files.
Result<std::unique_ptr<StepSource>> text_step_source(const std::string& directory);

/// The same records that write_text_traces would write of `trace`, without making text of them.
std::unique_ptr<StepSource> pattern_step_source(std::shared_ptr<const PatternTrace> trace);

}  // namespace mora::predict
