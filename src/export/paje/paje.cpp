// The dialect is the smallest that Pajé readers share: the eight fixed event definitions, aliases without blanks,
// quoted names, times that never decrease. One extra field, Size, as SimGrid writes it. Values of links are not
// defined: ViTE has none.
#include "export/paje/paje.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "export/arrows/arrow_points.h"
#include "export/output_file.h"
#include "trace/metrics/metric_name.h"
#include "trace/metrics/metric_value.h"
#include "trace/readers/paje/paje_source.h"
#include "trace/text/event_text.h"

namespace mora::exports {
namespace {

using trace::EarlType;
using trace::LocationId;
using trace::View;

constexpr const char* definitions_text = R"(%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineVariableType 2
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeDefineLinkType 3
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 4
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 5
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 6
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajePushState 7
% Time date
% Container string
% Type string
% Value string
%EndEventDef
%EventDef PajePopState 8
% Time date
% Container string
% Type string
%EndEventDef
%EventDef PajeSetVariable 9
% Time date
% Container string
% Type string
% Value double
%EndEventDef
%EventDef PajeStartLink 10
% Time date
% Container string
% Type string
% StartContainer string
% Value string
% Key string
% Size int
%EndEventDef
%EventDef PajeEndLink 11
% Time date
% Container string
% Type string
% EndContainer string
% Value string
% Key string
% Size int
%EndEventDef
)";

/// Only where the trace has events of users, or samples.
constexpr const char* event_definitions_text = R"(%EventDef PajeDefineEventType 12
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeNewEvent 13
% Time date
% Container string
% Type string
% Value string
%EndEventDef
)";

/// Only where the trace knows call sites or call paths. Readers keep further fields of an event, or leave them out.
constexpr const char* placed_state_text = R"(%EventDef PajePushState 14
% Time date
% Container string
% Type string
% Value string
% Path string
% File string
% Line int
%EndEventDef
)";

std::string paje_quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) out += c == '"' || c == '\n' || c == '\r' || c == '\\' ? '\'' : c;
  return out + "\"";
}

std::string seconds(Nanoseconds t) {
  t = std::max<Nanoseconds>(t, 0);
  return fmt::format("{}.{:09}", t / 1'000'000'000, t % 1'000'000'000);
}

/// A steady colour from the name: the same region looks the same in every trace.
std::string colour(const std::string& name) {
  std::uint32_t h = 2166136261u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  const auto part = [&](unsigned shift) { return fmt::format("{:.2f}", 0.25 + 0.7 * ((h >> shift) & 0xff) / 255.0); };
  return fmt::format("\"{} {} {}\"", part(0), part(8), part(16));
}

class PajeWriter {
 public:
  PajeWriter(const View& view, const PajeOptions& options, OutputFile& file)
      : view_(view),
        d_(view.definitions()),
        options_(options),
        file_(file),
        arrows_(view, options.arrows),
        points_(arrows_) {}

  void header() {
    file_.write(definitions_text);
    if (!d_.user_types.empty() || !d_.callers.empty()) file_.write(event_definitions_text);
    if (std::any_of(d_.regions.begin(), d_.regions.end(), is_placed)) file_.write(placed_state_text);
    file_.write("0 PR 0 \"Program\"\n0 LO PR \"Location\"\n1 ST LO \"State\"\n");
    if (d_.time_origin != 0)
      file_.write(fmt::format("4 CO ST \"{}{}\" \"0 0 0\"\n", trace::paje_clock_origin, d_.time_origin));
    file_.write("3 ML PR LO LO \"Message\"\n3 TL PR LO LO \"Transfer\"\n");
    for (std::size_t m = 0; m < d_.metrics.size(); ++m)
      file_.write(fmt::format("2 V{} LO {} \"0.2 0.4 0.8\"\n", m, paje_quoted(trace::name_with_unit(d_.metrics[m]))));
    for (std::size_t u = 0; u < d_.user_types.size(); ++u)
      file_.write(fmt::format("12 U{} LO {}\n", u, paje_quoted(d_.user_types[u])));
    if (!d_.callers.empty()) file_.write("12 SA LO \"Sample\"\n");
    std::map<std::string, std::size_t> values;
    for (const trace::Region& r : d_.regions) {
      const auto [at, first] = values.try_emplace(r.name, values.size());
      value_of_.push_back(at->second);
      if (first) file_.write(fmt::format("4 R{} ST {} {}\n", at->second, paje_quoted(r.name), colour(r.name)));
    }
    const std::string begin = seconds(options_.window.begin(view_));
    file_.write(fmt::format("5 {} program PR 0 {}\n", begin, paje_quoted(d_.program.empty() ? "program" : d_.program)));
    for (LocationId l = 0; l < d_.locations.size(); ++l) {
      if (!options_.window.shows(view_, l)) continue;
      const trace::Location& at = d_.locations[l];
      file_.write(fmt::format("5 {} {} LO program \"rank {}{}\"\n", begin, name(l), at.rank,
                              at.thread == 0 ? "" : fmt::format(" thread {}", at.thread)));
    }
  }

  void begin_window(Position first) {
    if (!options_.window.from) return;
    for (LocationId l = 0; l < d_.locations.size(); ++l) {
      if (!options_.window.shows(view_, l)) continue;
      const auto stack = view_.stack(l, first - 1);
      for (auto at = stack.rbegin(); at != stack.rend(); ++at) push(*at, l, *options_.window.from);
    }
  }

  void event(Position p) {
    const Nanoseconds t = view_.time(p);
    const LocationId l = view_.location(p);
    const EarlType type = view_.type(p);
    points_.at(p, t, [&](const ArrowPoint& point) { link(point); });
    if (!options_.window.shows(view_, l)) return;
    if (type == EarlType::enter) {
      push(p, l, t);
    } else if (trace::is_exit(type)) {
      if (view_.enter(p) != 0) file_.write(fmt::format("8 {} {} ST\n", seconds(t), name(l)));
    } else if (type == EarlType::metric) {
      const trace::EventDetail detail = *view_.detail(p);
      if (detail.kind < d_.metrics.size())
        file_.write(
            fmt::format("9 {} {} V{} {}\n", seconds(t), name(l), detail.kind, trace::metric_value_of(detail).text()));
    } else if (type == EarlType::user && view_.detail(p)->kind < d_.user_types.size()) {
      const trace::EventDetail detail = *view_.detail(p);
      file_.write(fmt::format("13 {} {} U{} {}\n", seconds(t), name(l), detail.kind,
                              paje_quoted(detail.id < d_.strings.size() ? d_.strings[detail.id] : "")));
    } else if (type == EarlType::sample && view_.detail(p)->kind < d_.callers.size()) {
      file_.write(fmt::format("13 {} {} SA {}\n", seconds(t), name(l),
                              paje_quoted(trace::caller_text(d_, view_.detail(p)->kind))));
    } else if (type != EarlType::send && type != EarlType::recv &&
               (type < EarlType::put_1ts || type > EarlType::get_1te)) {
      ++not_written_;
    }
  }

  void end_window(Position last) {
    points_.rest([&](const ArrowPoint& point) { link(point); });
    const std::string end = seconds(options_.window.end(view_));
    for (LocationId l = 0; l < d_.locations.size(); ++l) {
      if (!options_.window.shows(view_, l)) continue;
      for (std::size_t open = view_.stack(l, last).size(); open > 0; --open)
        file_.write(fmt::format("8 {} {} ST\n", end, name(l)));
      file_.write(fmt::format("6 {} LO {}\n", end, name(l)));
    }
    file_.write(fmt::format("6 {} PR program\n", end));
  }

  std::uint64_t not_written() const { return not_written_; }
  std::uint64_t cut_arrows() const { return cut_arrows_; }
  std::uint64_t reduced() const { return reduced_; }

 private:
  std::string name(LocationId l) const {
    const trace::Location& at = d_.locations[l];
    return at.thread == 0 ? fmt::format("P{}", at.rank) : fmt::format("P{}.{}", at.rank, at.thread);
  }
  void push(Position enter, LocationId l, Nanoseconds t) {
    const trace::RegionId id = view_.region(enter);
    if (id >= value_of_.size()) return file_.write(fmt::format("7 {} {} ST R0\n", seconds(t), name(l)));
    const trace::Region& region = d_.regions[id];
    if (!is_placed(region)) return file_.write(fmt::format("7 {} {} ST R{}\n", seconds(t), name(l), value_of_[id]));
    file_.write(fmt::format("14 {} {} ST R{} {} {} {}\n", seconds(t), name(l), value_of_[id],
                            paje_quoted(trace::call_path_text(d_, id)), paje_quoted(region.call_site_file),
                            region.call_site_line));
  }
  static bool is_placed(const trace::Region& region) {
    return !region.call_site_file.empty() || region.caller != trace::no_id;
  }
  void link(const ArrowPoint& point) {
    const Arrow& a = point.arrow;
    if (point.start && a.reduced) ++reduced_;
    const auto shown = [&](LocationId l, Nanoseconds t) {
      return options_.window.shows(view_, l) && options_.window.shows_time(t);
    };
    if (!shown(a.from, a.start) || !shown(a.to, a.end)) {
      if (point.start) ++cut_arrows_;
      return;
    }
    const bool message = a.kind == ArrowKind::message;
    file_.write(fmt::format("{} {} program {} {} {} {}{} {}\n", point.start ? 10 : 11, seconds(point.time),
                            message ? "ML" : "TL", name(point.start ? a.from : a.to),
                            a.kind == ArrowKind::request ? "request" : to_string(a.kind), message ? "m" : "t",
                            a.start_event, a.bytes));
  }

  const View& view_;
  const trace::Definitions& d_;
  const PajeOptions& options_;
  OutputFile& file_;
  Arrows arrows_;
  ArrowPoints points_;
  std::vector<std::size_t> value_of_;  ///< per region: number of its name
  std::uint64_t not_written_ = 0, cut_arrows_ = 0, reduced_ = 0;
};

}  // namespace

Result<void> write_paje(const View& view, const std::string& path, const PajeOptions& options, DataQuality& quality) {
  MORA_TRY(const auto file, OutputFile::create(path, options.force));
  PajeWriter writer(view, options, *file);
  const Position first = options.window.first(view), last = options.window.last(view);
  writer.header();
  writer.begin_window(first);
  {
    Progress progress(options.progress, "write", last < first ? 0 : last - first + 1);
    for (Position p = first; p <= last && !file->failed(); ++p) {
      EventWindow::passed(view, p);
      writer.event(p);
      progress.advance(1);
    }
  }
  writer.end_window(last);
  if (writer.not_written() > 0)
    quality.add("not-exported", Severity::info, "", writer.not_written(),
                "events cannot be written in this format, or refer to definitions that are missing",
                "choose another format with --to, or look at them with mora print");
  count_arrows(writer.cut_arrows(), writer.reduced(), quality);
  return file->commit();
}

}  // namespace mora::exports
