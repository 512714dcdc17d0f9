#include "trace/readers/paraver/paraver_source.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "base/file.h"
#include "base/table/wrapped.h"
#include "base/text/source_place.h"
#include "trace/readers/building/packed_bytes.h"
#include "trace/readers/paraver/syntax/header.h"
#include "trace/readers/paraver/syntax/line_reader.h"
#include "trace/readers/paraver/translator.h"

namespace mora::trace {
namespace {

using namespace paraver;

/// Adds the root to the collective events of all members: in the file only the root's own record has it, and perhaps
/// after the others' records. The k-th rooted operation of a communicator is the same one on all its members.
class RootedSource : public Source {
 public:
  RootedSource(std::unique_ptr<SpooledSource> spooled, Roots roots)
      : spooled_(std::move(spooled)), roots_(std::move(roots)) {}

  const Definitions& definitions() const override { return spooled_->definitions(); }
  std::uint64_t event_count_hint(LocationId location) const override { return spooled_->event_count_hint(location); }
  Nanoseconds duration_hint() const override { return spooled_->duration_hint(); }
  DataQuality& quality() override { return spooled_->quality(); }
  std::string format() const override { return spooled_->format(); }

  Result<void> read_location(LocationId location, EventSink& sink) override {
    Tell tell(roots_, spooled_->definitions(), sink);
    return spooled_->read_location(location, tell);
  }

 private:
  class Tell : public EventSink {
   public:
    Tell(const Roots& roots, const Definitions& definitions, EventSink& sink)
        : roots_(roots), definitions_(definitions), sink_(sink) {}
    void on_event(const Event& event) override {
      if (event.kind != EventKind::collective_end || !is_rooted(event.collective) || event.comm == no_id ||
          definitions_.communicators[event.comm].inter())
        return sink_.on_event(event);
      Event told = event;
      const std::uint32_t ordinal = seen_[event.comm]++;
      if (told.root == no_id && event.comm < roots_.size() && ordinal < roots_[event.comm].size())
        told.root = roots_[event.comm][ordinal];
      sink_.on_event(told);
    }

   private:
    const Roots& roots_;
    const Definitions& definitions_;
    EventSink& sink_;
    std::unordered_map<CommId, std::uint32_t> seen_;
  };

  std::unique_ptr<SpooledSource> spooled_;
  Roots roots_;
};

/// Where the trace and the files beside it come from.
struct Input {
  std::string file;                                      ///< for messages
  std::uint64_t application = 0;                         ///< from 1; 0 = the first
  std::function<Result<LineReader>(unsigned pass)> prv;  ///< pass from 0
  std::function<std::optional<LineReader>()> pcf, row;
  std::function<void()> only_once;  ///< there is no second pass
};

struct Pass {
  std::unique_ptr<SpooledSource> source;
  Roots roots;
  bool only_states = false;
  LateHalves late;
};

void note_end(LineReader& lines, const Header& header, Translator& translator, TraceBuilder& builder) {
  DataQuality& quality = builder.quality();
  if (!lines.failure().empty())
    quality.add("truncated-trace", Severity::loss, "file", 1, "the file cannot be read to its end: " + lines.failure(),
                "copy it again");
  if (lines.too_long() > 0)
    quality.add("damaged-record", Severity::loss, "", lines.too_long(), "lines of more than 16 MiB are left out",
                "the file is damaged: copy it again");
  Nanoseconds duration = 0;
  const bool fits = header.duration <= INT64_MAX &&
                    !__builtin_mul_overflow(static_cast<Nanoseconds>(header.duration), header.tick, &duration);
  if (fits && translator.last_time() < duration && lines.whole() && lines.failure().empty())
    quality.add("truncated-trace", Severity::info, "", 1,
                "the records end before the time that the header gives as the end of the trace",
                "if the recorder ran to its end, the file is cut: copy it again");
}

/// "1: 4 tasks, 2: 8 tasks".
void note_applications(const Header& header, std::uint64_t application, DataQuality& quality) {
  constexpr std::size_t listed = 16;
  std::string list;
  for (std::size_t a = 0; a < std::min(header.applications.size(), listed); ++a)
    list += fmt::format("{}{}: {}", a == 0 ? "" : ", ", a + 1, counted(header.applications[a].size(), "task"));
  quality.add("other-applications", Severity::info, "", header.applications.size() - 1,
              fmt::format("the file holds several applications ({}{}), each a job of its own; application {} is read",
                          list, header.applications.size() > listed ? ", …" : "", application),
              "choose another one with --application");
}

Result<Pass> read_once(const Input& input, unsigned number, const Labels& labels, bool has_pcf, bool states_are_regions,
                       const LateHalves* late, const EventSpoolOptions& options) {
  MORA_TRY(LineReader lines, input.prv(number));
  std::string_view line;
  if (!lines.next(line)) line = {};
  MORA_TRY(const Header header, parse_header(line, input.file));
  const std::uint64_t application = std::max<std::uint64_t>(input.application, 1);
  if (application > header.applications.size())
    return fail(ErrorKind::usage, fmt::format("the trace has no application {}", application), input.file,
                fmt::format("it has {}", counted(header.applications.size(), "application")),
                "see mora info for its applications");
  TraceBuilder builder("Paraver", options);
  if (header.applications.size() > 1) note_applications(header, application, builder.quality());
  Definitions& d = builder.definitions();
  d.program = base_name(input.file);
  d.program.resize(std::min(d.program.find(".prv"), d.program.size()));
  std::optional<LineReader> row = input.row();
  std::vector<std::string> names;
  if (row) names = read_node_names(*row, header.nodes);
  for (std::uint64_t n = 0; n < header.nodes; ++n)
    d.nodes.push_back({n < names.size() ? names[n] : "node " + std::to_string(n + 1)});
  if (!has_pcf)
    builder.quality().add("missing-labels", Severity::info, "", 1,
                          "there is no .pcf file beside the trace: calls have their usual names, everything else "
                          "is a number",
                          "keep the .pcf file of the trace beside it");

  Translator translator(header, labels, builder, application, states_are_regions, late, options.budget / 4);
  Record record;
  while (lines.next(line) && !builder.failed()) {
    if (lines.whole()) {
      parse_record(line, header.tick, record);
      translator.record(record, lines.number());
    } else {
      translator.damage().add(damage::truncated, "line", lines.number());
    }
  }
  translator.finish();
  if (translator.failed())
    return fail(ErrorKind::system, "cannot read back messages of the trace", "a temporary file in $TMPDIR", "",
                "check that disk, or set TMPDIR to another one");
  note_end(lines, header, translator, builder);
  MORA_TRY(auto source, builder.finish());
  LateHalves found = translator.take_late();
  if (found.failure()) return tl::unexpected(*found.failure());
  found.sort();
  return Pass{std::move(source), translator.take_roots(), !translator.any_region() && translator.any_state(),
              std::move(found)};
}

Result<std::unique_ptr<Source>> read(const Input& input, const EventSpoolOptions& options) {
  Labels labels;
  std::optional<LineReader> pcf = input.pcf();
  if (pcf) labels.read_pcf(*pcf);
  bool states = false;
  unsigned passes = 0;
  MORA_TRY(Pass pass, read_once(input, passes++, labels, pcf.has_value(), states, nullptr, options));
  const auto again = [&](const LateHalves* late) -> Result<void> {
    pass.source.reset();  // the first pass's spool goes before the second's comes
    MORA_TRY(pass, read_once(input, passes++, labels, pcf.has_value(), states, late, options));
    return {};
  };
  states = pass.only_states;
  if (states) MORA_CHECK_OK(again(nullptr));
  if (const LateHalves late = std::move(pass.late); !late.empty()) MORA_CHECK_OK(again(&late));
  if (passes == 1 && input.only_once) input.only_once();
  return std::make_unique<RootedSource>(std::move(pass.source), std::move(pass.roots));
}

/// NAME of NAME.prv and NAME.prv.gz.
std::string stem(const std::string& path) {
  for (const std::string_view ending : {".prv.gz", ".prv"}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

std::optional<LineReader> beside(const std::string& name, const char* ending) {
  for (const char* packed : {"", ".gz"}) {
    const std::string path = name + ending + packed;
    if (!file_exists(path)) continue;
    if (auto lines = LineReader::open(path)) return std::move(*lines);
  }
  return std::nullopt;
}

}  // namespace

bool is_paraver(std::string_view start) { return paraver::is_paraver(start); }

Result<std::unique_ptr<Source>> open_paraver(const std::string& path, const EventSpoolOptions& options,
                                             std::uint64_t application) {
  const std::string name = stem(path);
  // A second pass is counted from the start, so that the progress never goes back.
  return read({path, application, [&](unsigned pass) { return LineReader::open(path, pass == 0 ? 2 : 0); },
               [&] { return beside(name, ".pcf"); }, [&] { return beside(name, ".row"); },
               [&] { PackedBytes::will_not_read(path); }},
              options);
}

Result<std::unique_ptr<Source>> read_paraver(std::string_view prv, std::string_view pcf, std::string_view row,
                                             const std::string& file, const EventSpoolOptions& options,
                                             std::uint64_t application) {
  const auto of = [](std::string_view text) -> std::optional<LineReader> {
    if (text.empty()) return std::nullopt;
    return LineReader::of(text);
  };
  return read({file, application, [&](unsigned) -> Result<LineReader> { return LineReader::of(prv); },
               [&] { return of(pcf); }, [&] { return of(row); }, nullptr},
              options);
}

}  // namespace mora::trace
