// One JSON object per line, in the order of the view's numbers: viewers keep that order among equal times, and so a
// flow binds to the slice that is open where it stands. Slices are B/E pairs, not X, for the same reason.
#include "export/chrome/chrome_json.h"

#include <fmt/format.h>

#include "base/json/json_writer.h"
#include "base/version.h"
#include "export/arrows/arrow_points.h"
#include "export/arrows/dependencies.h"
#include "export/output_file.h"
#include "trace/assertion.h"
#include "trace/metrics/metric_name.h"
#include "trace/metrics/metric_value.h"
#include "trace/text/event_text.h"

namespace mora::exports {
namespace {

using trace::EarlType;
using trace::LocationId;
using trace::View;
using trace::ViewEvent;

/// Microseconds, all digits.
std::string stamp(Nanoseconds t) {
  const bool negative = t < 0;
  const std::uint64_t n = negative ? ~static_cast<std::uint64_t>(t) + 1 : static_cast<std::uint64_t>(t);
  return fmt::format("{}{}.{:03}", negative ? "-" : "", n / 1000, n % 1000);
}

class ChromeWriter {
 public:
  ChromeWriter(const View& view, const ChromeOptions& options)
      : view_(view), d_(view.definitions()), options_(options), arrows_(view, options.arrows), points_(arrows_) {
    for (const trace::Region& r : d_.regions) {
      std::string args;
      if (!r.call_site_file.empty())
        args = "\"site\":" + json_quote(r.call_site_line ? fmt::format("{}:{}", r.call_site_file, r.call_site_line)
                                                         : r.call_site_file);
      if (const auto path = trace::call_path_text(d_, static_cast<trace::RegionId>(regions_.size())); !path.empty())
        args += fmt::format("{}\"path\":{}", args.empty() ? "" : ",", json_quote(path));
      regions_.push_back({fmt::format("\"name\":{},\"cat\":{}", json_quote(r.name),
                                      json_quote(r.kind == trace::RegionKind::mpi ? "mpi"
                                                 : !r.group.empty()               ? r.group
                                                                                  : "user")),
                          args});
    }
  }

  const std::string& text() const { return text_; }
  void clear() { text_.clear(); }
  std::uint64_t lines() const { return lines_; }
  std::uint64_t cut_arrows() const { return cut_arrows_; }
  std::uint64_t reduced() const { return reduced_; }

  void header() {
    text_ += fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"made_by\":\"Mora "
        "{}\",\"rma_model\":\"{}\"{}}},\n\"traceEvents\":[",
        version(), view_.model() == trace::RmaModel::basic ? "basic" : "extended",
        d_.time_origin == 0 ? "" : fmt::format(",\"clock_origin_ns\":\"{}\"", d_.time_origin));
    for (LocationId l = 0; l < d_.locations.size(); ++l) {
      if (!options_.window.shows(view_, l)) continue;
      const trace::Location& location = d_.locations[l];
      if (location.thread == 0) {
        line("M", l,
             fmt::format("\"name\":\"process_name\",\"args\":{{\"name\":{}}}",
                         json_quote(fmt::format("rank {}", location.rank))));
        line("M", l, fmt::format("\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{}}}", location.rank));
      }
      line("M", l,
           fmt::format("\"name\":\"thread_name\",\"args\":{{\"name\":{}}}",
                       json_quote(location.thread == 0 ? "main" : fmt::format("thread {}", location.thread))));
    }
  }
  void footer() { text_ += "\n]}\n"; }

  /// Regions that are open where the window begins: cut there.
  void begin_window(trace::Position first) {
    if (!options_.window.from) return;
    for (LocationId l = 0; l < d_.locations.size(); ++l) {
      if (!options_.window.shows(view_, l)) continue;
      const auto stack = view_.stack(l, first - 1);
      for (auto at = stack.rbegin(); at != stack.rend(); ++at) slice_begin(*at, l, *options_.window.from, true);
    }
  }
  /// … and where it ends; also regions that nothing leaves.
  void end_window(trace::Position last) {
    points_.rest([&](const ArrowPoint& point) { flow(point); });
    const Nanoseconds end = options_.window.end(view_);
    for (LocationId l = 0; l < d_.locations.size(); ++l) {
      if (!options_.window.shows(view_, l)) continue;
      for (std::size_t open = view_.stack(l, last).size(); open > 0; --open)
        line("E", l, fmt::format("\"ts\":{},\"args\":{{\"cut\":true}}", stamp(end)));
    }
  }

  void event(trace::Position p) {
    const Nanoseconds t = view_.time(p);
    const LocationId l = view_.location(p);
    const EarlType type = view_.type(p);
    if (type == EarlType::enter) {
      points_.due(t, [&](const ArrowPoint& point) { flow(point); });
      if (options_.window.shows(view_, l)) slice_begin(p, l, t, false);
      return;
    }
    points_.at(p, t, [&](const ArrowPoint& point) { flow(point); });
    if (!options_.window.shows(view_, l)) return;
    if (trace::is_exit(type))
      slice_end(p, l, t);
    else
      mark(p, view_.event(p), l);
  }

  void dependency(const Dependency& dep, std::uint64_t id) {
    if (dep.kind == DependencyKind::fence) return;  // slices of one collective; listed in CSV
    const Nanoseconds from = view_.time(dep.from), to = view_.time(dep.to);
    const LocationId a = view_.location(dep.from), b = view_.location(dep.to);
    if (!shown(a, from) || !shown(b, to)) {
      ++cut_arrows_;
      return;
    }
    // Viewers want the start of a flow first; which end depends on which is in the arguments.
    const bool backward = to < from;
    const std::string what = fmt::format(
        "\"cat\":\"dependency\",\"name\":\"{}\",\"id\":\"d{}\",\"args\":{{\"window\":{},\"from\":{},\"to\":{},"
        "\"backward\":{}}}",
        to_string(dep.kind), id, window(dep.window), dep.from, dep.to, backward);
    line("s", backward ? b : a, fmt::format("\"ts\":{},{}", stamp(std::min(from, to)), what));
    line("f", backward ? a : b, fmt::format("\"ts\":{},\"bp\":\"e\",{}", stamp(std::max(from, to)), what));
  }

 private:
  struct RegionText {
    std::string name, args;
  };

  void line(const char* phase, LocationId l, const std::string& rest) {
    text_ += lines_++ == 0 ? "\n" : ",\n";
    const trace::Location& location = d_.locations[l];
    text_ += fmt::format("{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},{}}}", phase, location.rank, location.thread, rest);
  }
  std::string window(trace::WindowId w) const {
    return json_quote(w < d_.windows.size() && !d_.windows[w].name.empty() ? d_.windows[w].name
                                                                           : fmt::format("window{}", w));
  }
  std::string comm(trace::CommId c) const {
    return json_quote(c < d_.communicators.size() && !d_.communicators[c].name.empty() ? d_.communicators[c].name
                                                                                       : fmt::format("comm{}", c));
  }
  bool shown(LocationId l, Nanoseconds t) const {
    return options_.window.shows(view_, l) && options_.window.shows_time(t);
  }

  /// What the exit of a region says belongs to its slice.
  std::string exit_args(trace::Position enter) const {
    const trace::Position exit = view_.forward(enter);
    if (exit == 0) return {};
    const EarlType type = view_.type(exit);
    if (type == EarlType::exit || type == EarlType::ompcexit) return {};
    const ViewEvent e = view_.event(exit);
    if (type == EarlType::mpicexit)
      return fmt::format("\"comm\":{},\"root\":{},\"sent\":{},\"recvd\":{}", comm(e.comm),
                         e.root == trace::no_id ? std::string("null") : std::to_string(e.root), e.bytes, e.received);
    std::string args = "\"win\":" + window(e.window);
    if (type == EarlType::mpiwcexit) {
      args += ",\"comm\":" + comm(e.comm);
    } else {
      const bool known = e.group < d_.groups.size();
      args += fmt::format(",\"group\":[{}],\"synex\":{}",
                          known ? fmt::format("{}", fmt::join(d_.groups[e.group].members, ",")) : "", e.synex ? 1 : 0);
    }
    if (e.assertion != 0) args += ",\"assert\":" + json_quote(trace::assertion_text(e.assertion));
    return args;
  }

  void slice_begin(trace::Position enter, LocationId l, Nanoseconds t, bool cut) {
    const trace::RegionId id = view_.region(enter);
    static const RegionText unknown{"\"name\":\"?\",\"cat\":\"user\"", ""};
    const RegionText& region = id < regions_.size() ? regions_[id] : unknown;
    std::string args = region.args;
    for (const std::string& more : {exit_args(enter), std::string(cut ? "\"cut\":true" : "")}) {
      if (more.empty()) continue;
      if (!args.empty()) args += ',';
      args += more;
    }
    line("B", l,
         args.empty() ? fmt::format("\"ts\":{},{}", stamp(t), region.name)
                      : fmt::format("\"ts\":{},{},\"args\":{{{}}}", stamp(t), region.name, args));
  }
  void slice_end(trace::Position exit, LocationId l, Nanoseconds t) {
    if (view_.enter(exit) == 0) return;
    line("E", l, fmt::format("\"ts\":{}", stamp(t)));
  }

  /// The reduction of an accumulate, where it is known.
  static std::string operation(const ViewEvent& e) {
    return e.reduction == trace::Reduction::unknown ? ""
                                                    : fmt::format(",\"op\":{}", json_quote(to_string(e.reduction)));
  }

  void flow(const ArrowPoint& point) {
    const Arrow& a = point.arrow;
    if (point.start && a.reduced) ++reduced_;
    if (!shown(a.from, a.start) || !shown(a.to, a.end)) {
      if (point.start) ++cut_arrows_;
      return;
    }
    std::string what;
    if (a.kind == ArrowKind::message)
      what = fmt::format(
          "\"cat\":\"message\",\"name\":\"message\",\"id\":{},\"args\":{{\"bytes\":{},\"tag\":{},\"comm\":{}}}",
          a.start_event, a.bytes, a.tag, comm(a.comm));
    else
      what = fmt::format(
          "\"cat\":\"transfer\",\"name\":\"{}\",\"id\":\"t{}\",\"args\":{{\"bytes\":{},\"tag\":\"{}\",\"window\":{},"
          "\"rmaid\":{}{}}}",
          to_string(a.kind), a.start_event, a.bytes, a.kind == ArrowKind::request ? "request" : "data",
          window(a.window), view_.detail(a.start_event)->id, operation(view_.event(a.start_event)));
    if (point.start)
      line("s", a.from, fmt::format("\"ts\":{},{}", stamp(a.start), what));
    else
      line("f", a.to, fmt::format("\"ts\":{},\"bp\":\"e\",{}", stamp(a.end), what));
  }

  /// Events that are neither slices nor ends of arrows.
  void mark(trace::Position p, const ViewEvent& e, LocationId l) {
    const std::string ts = stamp(e.time);
    const auto instant = [&](const std::string& name, const std::string& args) {
      line("i", l,
           fmt::format("\"ts\":{},\"s\":\"t\",\"cat\":\"event\",\"name\":{},\"args\":{{{}}}", ts, json_quote(name),
                       args));
    };
    const std::string type = to_string(e.type);
    switch (e.type) {
      case EarlType::metric: {
        const std::string name = e.index < d_.metrics.size() ? trace::name_with_unit(d_.metrics[e.index]) : "metric";
        line("C", l,
             fmt::format("\"ts\":{},\"name\":{},\"args\":{{\"value\":{}}}", ts, json_quote(name),
                         number(trace::metric_value_of(e))));
        break;
      }
      case EarlType::wlock:
        instant(type, fmt::format("\"target\":{},\"win\":{},\"lock\":\"{}\"", static_cast<std::int32_t>(e.peer),
                                  window(e.window), e.exclusive ? "exclusive" : "shared"));
        break;
      case EarlType::wunlock:
      case EarlType::wflush:
        instant(type, fmt::format("\"target\":{},\"win\":{}", static_cast<std::int32_t>(e.peer), window(e.window)));
        break;
      case EarlType::send:
      case EarlType::recv:
        // A message's only trace if its other half is missing.
        if (e.type == EarlType::send ? e.forward <= p : e.link == 0)
          instant(type,
                  fmt::format("\"peer\":{},\"tag\":{},\"comm\":{},\"bytes\":{}", e.peer, e.tag, comm(e.comm), e.bytes));
        break;
      case EarlType::sample:
        if (e.index < d_.callers.size())
          line("i", l,
               fmt::format("\"ts\":{},\"s\":\"t\",\"cat\":\"sample\",\"name\":{},\"args\":{{\"path\":{}}}", ts,
                           json_quote(function_name(e.index)), json_quote(trace::caller_text(d_, e.index))));
        break;
      case EarlType::user:
        instant(e.index < d_.user_types.size() ? d_.user_types[e.index] : type,
                e.id < d_.strings.size() ? "\"text\":" + json_quote(d_.strings[e.id]) : "");
        break;
      case EarlType::io_start:
      case EarlType::io_end:
        instant(type, fmt::format("\"file\":{},\"bytes\":{},\"id\":{}",
                                  json_quote(e.index < d_.files.size() ? d_.files[e.index] : "?"), e.bytes, e.id));
        break;
      case EarlType::nbc_start:
      case EarlType::nbc_end:
        instant(type,
                fmt::format("\"comm\":{},\"sent\":{},\"recvd\":{},\"id\":{}", comm(e.comm), e.bytes, e.received, e.id));
        break;
      case EarlType::fork:
      case EarlType::join:
      case EarlType::alock:
      case EarlType::rlock:
      case EarlType::atomic_1ts:
      case EarlType::atomic_1te:
        instant(type, fmt::format("\"id\":{}{}", e.id, operation(e)));
        break;
      default:
        break;
    }
  }
  std::string function_name(trace::CallerId caller) const {
    const trace::RegionId region = d_.callers[caller].region;
    return region < d_.regions.size() ? d_.regions[region].name : "?";
  }
  static std::string number(const trace::MetricValue& value) {
    JsonWriter json;
    value.visit([&](auto digits) { json.value(digits); });
    return json.str();
  }

  const View& view_;
  const trace::Definitions& d_;
  const ChromeOptions& options_;
  Arrows arrows_;
  ArrowPoints points_;
  std::vector<RegionText> regions_;
  std::string text_;
  std::uint64_t lines_ = 0, cut_arrows_ = 0, reduced_ = 0;
};

}  // namespace

ChromeSize chrome_size(const View& view, const ChromeOptions& options) {
  ChromeWriter writer(view, options);
  const trace::Position first = options.window.first(view), last = options.window.last(view);
  writer.header();
  writer.begin_window(first);
  ChromeSize size;
  const std::uint64_t before = writer.text().size(), lines_before = writer.lines();
  const std::uint64_t all = last < first ? 0 : last - first + 1;
  // Stretches rather than single events: programs repeat themselves, and a stride could hit the same kind each time.
  constexpr std::uint64_t stretches = 200, stretch = 100;
  const bool all_of_it = all <= stretches * stretch;
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < (all_of_it ? 1 : stretches); ++i) {
    const auto from =
        all_of_it ? 0 : static_cast<std::uint64_t>(static_cast<unsigned __int128>(all - stretch) * i / (stretches - 1));
    for (std::uint64_t k = 0; k < (all_of_it ? all : stretch); ++k, ++seen) writer.event(first + from + k);
    if (i % 16 == 15) view.forget_before(view.size());
  }
  view.forget_before(view.size());
  size.exact = all_of_it && !options.dependencies;
  const std::uint64_t bytes = writer.text().size() - before, lines = writer.lines() - lines_before;
  size.bytes =
      before + (seen == 0 ? 0 : static_cast<std::uint64_t>(static_cast<unsigned __int128>(bytes) * all / seen));
  size.events =
      lines_before + (seen == 0 ? 0 : static_cast<std::uint64_t>(static_cast<unsigned __int128>(lines) * all / seen));
  writer.clear();
  const std::uint64_t lines_then = writer.lines();
  writer.end_window(last);
  writer.footer();
  size.bytes += writer.text().size();
  size.events += writer.lines() - lines_then;
  return size;
}

Result<void> write_chrome(const View& view, const std::string& path, const ChromeOptions& options,
                          DataQuality& quality) {
  MORA_TRY(const auto file, OutputFile::create(path, options.force));
  ChromeWriter writer(view, options);
  const trace::Position first = options.window.first(view), last = options.window.last(view);
  const auto flush = [&] {
    file->write(writer.text());
    writer.clear();
  };
  writer.header();
  writer.begin_window(first);
  {
    Progress progress(options.progress, "write", last < first ? 0 : last - first + 1);
    for (trace::Position p = first; p <= last && !file->failed(); ++p) {
      EventWindow::passed(view, p);
      writer.event(p);
      if (writer.text().size() >= 1 << 16) flush();
      progress.advance(1);
    }
  }
  writer.end_window(last);
  if (options.dependencies) {
    std::uint64_t id = 0;
    for (const Dependency& d : dependencies(view)) {
      writer.dependency(d, ++id);
      if (writer.text().size() >= 1 << 16) flush();
    }
  }
  writer.footer();
  flush();
  count_arrows(writer.cut_arrows(), writer.reduced(), quality);
  return file->commit();
}

}  // namespace mora::exports
