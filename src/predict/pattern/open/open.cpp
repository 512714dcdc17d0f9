/// Finds out what a path holds: trace.mpt, text traces, journals of a recording that was not finished, else any trace.
#include "predict/pattern/open/open.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "predict/pattern/archive/archive.h"
#include "predict/pattern/events/from_trace.h"
#include "predict/pattern/text/text_trace.h"
#include "trace/readers/open_trace.h"

namespace mora::predict {
namespace {

namespace fs = std::filesystem;

bool has_text_traces(const fs::path& directory) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    const auto stem = entry.path().stem().string();  // <text><rank>.txt
    if (entry.path().extension() == ".txt" && stem.size() > 1 && stem.back() >= '0' && stem.back() <= '9') return true;
  }
  return false;
}

bool begins_with(const std::string& path, std::string_view magic) {
  auto file = MappedFile::open(path);
  return file && file->bytes().size() >= magic.size() &&
         std::string_view(reinterpret_cast<const char*>(file->bytes().data()), magic.size()) == magic;
}

}  // namespace

std::string recorded_library(const std::string& path) {
  std::error_code failed;
  const fs::path folder = fs::is_directory(path, failed) ? fs::path(path) : fs::path(path).parent_path();
  const auto text = read_file((folder / "manifest.json").string());
  if (!text) return {};
  const auto manifest = nlohmann::json::parse(*text, nullptr, false);
  const nlohmann::json::json_pointer library("/mpi/library");
  return manifest.contains(library) && manifest[library].is_string() ? manifest[library].get<std::string>() : "";
}

Result<PatternTrace> open_pattern(const std::string& path, const ProgressCallback& progress) {
  std::error_code failed;
  if (!fs::exists(path, failed))
    return fail(
        ErrorKind::unreadable, "cannot open the pattern", path, "there is no such file or directory",
        "give what `mora pattern record` or `dryrun` left, a directory of ti_trace<rank>.txt, or an experiment");
  if (fs::is_directory(path, failed)) {
    const auto archive = fs::path(path) / "trace.mpt";
    if (fs::exists(archive, failed)) return read_archive(archive.string());
    if (has_text_traces(path)) return read_text_traces(path, progress);
    if (const auto inner = fs::path(path) / "ti_traces"; fs::is_directory(inner, failed))
      return read_text_traces(inner.string(), progress);
    if (fs::exists(fs::path(path) / "journal", failed) && !fs::exists(fs::path(path) / "traces.otf2", failed))
      return fail(ErrorKind::unreadable, "the recording was not finished", path, "there are journals but no trace",
                  "make a trace of them with: mora recover " + path);
  } else if (begins_with(path, "MORAPTN")) {
    return read_archive(path);
  }
  auto source = trace::open_trace(path);
  if (!source) {
    auto error = source.error();
    error.what = "cannot open the pattern";
    error.help =
        "give what `mora pattern record` or `dryrun` left, a directory of ti_trace<rank>.txt, or an experiment";
    return tl::unexpected(error);
  }
  MORA_TRY(PatternTrace pattern, pattern_of_trace(**source, progress));
  pattern.definitions.mpi = recorded_library(path);
  return pattern;
}

}  // namespace mora::predict
