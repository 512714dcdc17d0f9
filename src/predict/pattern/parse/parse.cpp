#include "predict/pattern/parse/parse.h"

#include <filesystem>

#include "predict/pattern/open/open.h"
#include "predict/pattern/parse/engine.h"
#include "predict/pattern/parse/source.h"
#include "predict/pattern/text/files.h"

namespace mora::predict {
namespace {

namespace fs = std::filesystem;

/// Text traces are parsed part by part, everything else through its pattern trace.
Result<std::unique_ptr<StepSource>> open_source(const std::string& input, const ProgressCallback& progress) {
  std::error_code failed;
  if (fs::is_directory(input, failed) && !fs::exists(fs::path(input) / "trace.mpt", failed) &&
      !fs::exists(fs::path(input) / "traces.otf2", failed)) {
    if (auto source = text_step_source(input)) return source;
    if (const auto inner = fs::path(input) / "ti_traces"; fs::is_directory(inner, failed))
      return text_step_source(inner.string());
  }
  MORA_TRY(auto trace, open_pattern(input, progress));
  return pattern_step_source(std::make_shared<const PatternTrace>(std::move(trace)));
}

Result<ParseResult> parse_into(StepSource& source, ParseSink& sink, const ParseOptions& options,
                               const ProgressCallback& progress) {
  ParseFiles files(sink, options.form);
  ParseResult result;
  MORA_CHECK_OK(parse_steps(source, files, options, result, progress));
  MORA_CHECK_OK(files.finish());
  const std::string communicators = communicators_text(result);
  MORA_CHECK_OK(sink.append("communicators.txt", communicators));
  result.bytes_written = files.bytes() + communicators.size();
  return result;
}

}  // namespace

double reduction_percent(double trace_bytes, double output_bytes) {
  return trace_bytes <= 0 ? 0 : 100.0 * (trace_bytes - output_bytes) / trace_bytes;
}

Result<ParseResult> parse_pattern(const std::string& input, const std::string& output, const ParseOptions& options,
                                  const ProgressCallback& progress) {
  MORA_TRY(const auto source, open_source(input, progress));
  MORA_TRY(const auto sink, DirectorySink::open(output));
  MORA_TRY(auto result, parse_into(*source, *sink, options, progress));
  MORA_CHECK_OK(sink->finish());
  return result;
}

Result<ParseResult> parse_pattern(const std::string& input, std::map<std::string, std::string>& files,
                                  const ParseOptions& options, const ProgressCallback& progress) {
  MORA_TRY(const auto source, open_source(input, progress));
  MemorySink sink(files);
  return parse_into(*source, sink, options, progress);
}

}  // namespace mora::predict
