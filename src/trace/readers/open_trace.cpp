/// Which reader a path belongs to: an experiment's or archive's directory by its anchor file, a file by its first bytes
/// (unpacked if it is gzip) and its name. The readers are asked in the order of one table; the first that fits reads.
#include "trace/readers/open_trace.h"

#include <zlib.h>

#include <filesystem>

#include "base/file.h"
#include "trace/readers/alog/alog_source.h"
#include "trace/readers/chrome/chrome_source.h"
#include "trace/readers/goal/goal_source.h"
#include "trace/readers/otf2/otf2_source.h"
#include "trace/readers/paje/paje_source.h"
#include "trace/readers/paraver/paraver_source.h"
#include "trace/readers/simgrid/simgrid_source.h"
#include "trace/readers/template/csv_source.h"
#include "trace/readers/text/text_source.h"
#include "trace/readers/vampir/vampir_source.h"

namespace mora::trace {
namespace {

namespace fs = std::filesystem;

// What the user can do where a file is no trace.
constexpr const char* what_fits =
    "give an experiment directory or a trace file of a format that `mora info --formats` lists";

/// The first bytes of the file, unpacked if it is gzip.
std::string beginning(const std::string& path) {
  std::string text(4096, '\0');
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  const int got = gzread(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

bool is_otf2(const std::string& path, const std::string& start) {
  return fs::path(path).extension() == ".otf2" || start.rfind("[OTF2]", 0) == 0 || start.rfind("OTF2", 0) == 0;
}

Result<std::unique_ptr<Source>> open_text(const std::string& path) {
  MORA_TRY(const std::string content, read_file(path));
  MORA_TRY(auto source, read_trace_text(content, path));
  return std::unique_ptr<Source>(std::move(source));
}

/// The formats, in the order in which they are tried: one line per folder of readers/.
const std::vector<TraceFormat>& formats_in_order() {
  static const std::vector<TraceFormat> formats = {
      {"text", "Mora's text language (*.trace)", [](auto&, auto& start) { return is_trace_text(start); }, open_text},
      {"otf2", "Open Trace Format 2 (traces.otf2)", is_otf2, [](auto& path) { return open_otf2(path); }},
      {"paraver", "Paraver (*.prv)", [](auto&, auto& start) { return is_paraver(start); },
       [](auto& path) { return open_paraver(path); }},
      {"alog", "ALOG of MPICH's early MPE (ASCII)", [](auto&, auto& start) { return is_alog(start); }, open_alog},
      {"vampir", "VAMPIR binary (BPV)", [](auto&, auto& start) { return is_vampir(start); }, open_vampir},
      {"csv", "the example of a reader (readers/template)", [](auto&, auto& start) { return is_csv_trace(start); },
       open_csv_trace},
      {"paje", "Pajé (SimGrid, pajeng, EZTrace, StarPU)", [](auto&, auto& start) { return is_paje(start); },
       [](auto& path) { return open_paje(path); }},
      {"chrome", "Chrome trace events (JSON)", [](auto&, auto& start) { return is_chrome(start); },
       [](auto& path) { return open_chrome(path); }},
      {"simgrid", "time-independent traces of SimGrid's SMPI, for mora predict",
       [](auto& path, auto& start) { return is_simgrid(path, start); }, open_simgrid},
      {"goal", "schedules in GOAL of LogGOPSim (*.goal), for mora predict",
       [](auto&, auto& start) { return is_goal(start); }, open_goal},
  };
  return formats;
}

Result<std::unique_ptr<Source>> open_as(const TraceFormat& format, const std::string& path, std::uint64_t application) {
  if (application == 0) return format.open(path);
  if (format.name == std::string_view("paraver")) return open_paraver(path, {}, application);
  return fail(ErrorKind::usage, "this trace has no applications to choose from", path, "only Paraver traces have them",
              "leave out --application");
}

}  // namespace

std::string anchor_file(const std::string& directory) {
  if (file_exists(directory + "/traces.otf2")) return directory + "/traces.otf2";
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".otf2") found.push_back(entry.path().string());
  }
  return found.size() == 1 ? found[0] : "";
}

const std::vector<TraceFormat>& trace_formats() { return formats_in_order(); }

Result<std::unique_ptr<Source>> open_trace(const std::string& path, const std::string& format,
                                           std::uint64_t application) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (!fs::exists(status))
    return fail(ErrorKind::unreadable, "cannot open the trace", path, "there is no such file or directory", what_fits);
  if (fs::is_directory(status)) {
    const std::string anchor = anchor_file(path);
    if (anchor.empty() && fs::exists(path + "/analysis.cubex", ignored) && fs::exists(path + "/manifest.json", ignored))
      return fail(ErrorKind::usage, "there is no trace to open", path,
                  "it was recorded with --stats, which keeps sums of calls only",
                  "read them with: mora report " + path + "; for wait states record without --stats");
    if (anchor.empty())
      return fail(ErrorKind::unreadable, "cannot open the trace", path, "the directory holds no OTF2 archive",
                  fs::exists(path + "/journal", ignored)
                      ? "its recording was interrupted; finish it with: mora recover " + path
                      : std::string(what_fits));
    if (application != 0)
      return fail(ErrorKind::usage, "this trace has no applications to choose from", path,
                  "only Paraver traces have them", "leave out --application");
    return open_otf2(anchor);
  }
  if (!fs::is_regular_file(status))
    return fail(
        ErrorKind::unreadable, "cannot open the trace", path,
        fs::is_fifo(status) ? "it is a pipe: traces are read more than once" : "it is no file but a device or socket",
        "write it to a file first");
  std::string names;
  for (const TraceFormat& f : formats_in_order()) {
    if (f.name == format) return open_as(f, path, application);
    names += (names.empty() ? "" : ", ") + std::string(f.name);
  }
  if (!format.empty())
    return fail(ErrorKind::usage, "there is no trace format '" + format + "'", "", "", "the formats are: " + names);
  const std::string start = beginning(path);
  for (const TraceFormat& f : formats_in_order()) {
    if (f.fits(path, start)) return open_as(f, path, application);
  }
  if (fs::path(path).extension() == ".evt" || fs::path(path).extension() == ".def")
    return fail(ErrorKind::unreadable, "cannot open the trace", path, "this is a part of an OTF2 archive", what_fits);
  if (start.starts_with("<") && start.find("<cube") != std::string::npos)
    return fail(ErrorKind::unreadable, "cannot open the trace", path, "this is a result of CUBE 3, no trace",
                "convert it with CubeLib's tool, cube3to4 -o NEW FILE, and give it to `mora cube`");
  if (fs::path(path).extension() == ".cubex")
    return fail(ErrorKind::unreadable, "cannot open the trace", path, "this is a result of CUBE 4, no trace",
                "look at it with `mora cube info`, or give the experiment's directory to `mora report`");
  return fail(ErrorKind::unreadable, "cannot open the trace", path, "it is in no format that Mora knows", what_fits);
}

}  // namespace mora::trace
