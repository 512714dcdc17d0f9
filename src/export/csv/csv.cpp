/// One writer per table (events, messages, dependencies). Rows are written as they come, so memory does not depend on
/// the size of the trace, but for `logical` transfers and dependencies (arrows.h).
#include "export/csv/csv.h"
#include "base/table/cell_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "export/arrows/dependencies.h"
#include "export/arrows/overtaken_gets.h"
#include "export/output_file.h"
#include "trace/assertion.h"
#include "trace/metrics/metric_value.h"
#include "trace/text/event_text.h"

namespace mora::exports {
namespace {

using trace::EarlType;
using trace::no_id;
using trace::View;
using trace::ViewEvent;

std::string csv_location(const trace::Location& l) {
  return l.thread == 0 ? fmt::format("P{}", l.rank) : fmt::format("P{}.{}", l.rank, l.thread);
}

template <class Things>
std::string name_of(const Things& things, std::uint32_t id, const char* kind) {
  if (id == no_id) return {};
  return id < things.size() && !things[id].name.empty() ? things[id].name : fmt::format("{}{}", kind, id);
}

std::string number(std::uint64_t n, bool there = true) { return there ? std::to_string(n) : std::string(); }

bool sends_bytes(EarlType t) {
  switch (t) {
    case EarlType::mpicexit:
    case EarlType::send:
    case EarlType::recv:
    case EarlType::put_1ts:
    case EarlType::get_1ts:
    case EarlType::nbc_start:
    case EarlType::nbc_end:
    case EarlType::atomic_1ts:
    case EarlType::io_start:
    case EarlType::io_end:
      return true;
    default:
      return false;
  }
}
bool has_received(EarlType t) {
  return t == EarlType::mpicexit || t == EarlType::put_1te || t == EarlType::get_1te || t == EarlType::nbc_end ||
         t == EarlType::atomic_1te;
}
bool has_id(EarlType t) {
  return (t >= EarlType::put_1ts && t <= EarlType::get_1te) || (t >= EarlType::alock && t <= EarlType::atomic_1te) ||
         t == EarlType::io_start || t == EarlType::io_end;
}

struct Row {
  const View& view;
  const trace::Definitions& d;
  trace::Position p;
  ViewEvent e;
};

struct Column {
  const char* name;
  std::string (*value)(const Row&);
};

/// The function that a sample found.
std::string function_of(const Row& r) {
  return r.e.index < r.d.callers.size() ? name_of(r.d.regions, r.d.callers[r.e.index].region, "region") : std::string();
}

constexpr auto count_of = [](trace::Position p) { return p == 0 ? std::string() : std::to_string(p); };

const Column columns[] = {
    {"number", [](const Row& r) { return number(r.p); }},
    {"time_ns", [](const Row& r) { return std::to_string(r.e.time); }},
    {"location", [](const Row& r) { return csv_location(r.d.locations[r.e.location]); }},
    {"type", [](const Row& r) { return std::string(trace::to_string(r.e.type)); }},
    {"region", [](const Row& r) { return name_of(r.d.regions, r.e.region, "region"); }},
    {"site",
     [](const Row& r) {
       if (r.e.region >= r.d.regions.size() || r.d.regions[r.e.region].call_site_file.empty()) return std::string();
       const trace::Region& region = r.d.regions[r.e.region];
       return region.call_site_line ? fmt::format("{}:{}", region.call_site_file, region.call_site_line)
                                    : region.call_site_file;
     }},
    {"peer", [](const Row& r) { return number(r.e.peer, r.e.peer != no_id); }},
    {"tag",
     [](const Row& r) {
       return r.e.type == EarlType::send || r.e.type == EarlType::recv ? std::to_string(r.e.tag) : std::string();
     }},
    {"comm", [](const Row& r) { return name_of(r.d.communicators, r.e.comm, "comm"); }},
    {"bytes", [](const Row& r) { return number(r.e.bytes, sends_bytes(r.e.type)); }},
    {"received", [](const Row& r) { return number(r.e.received, has_received(r.e.type)); }},
    {"root", [](const Row& r) { return number(r.e.root, r.e.root != no_id); }},
    {"window", [](const Row& r) { return name_of(r.d.windows, r.e.window, "window"); }},
    {"group",
     [](const Row& r) {
       return r.e.group < r.d.groups.size() ? fmt::format("{}", fmt::join(r.d.groups[r.e.group].members, " ")) : "";
     }},
    {"synex", [](const Row& r) { return number(r.e.synex ? 1 : 0, r.e.type == EarlType::mpiwexit); }},
    {"lock",
     [](const Row& r) {
       return std::string(r.e.type != EarlType::wlock ? "" : r.e.exclusive ? "exclusive" : "shared");
     }},
    {"assert", [](const Row& r) { return r.e.assertion == 0 ? std::string() : trace::assertion_text(r.e.assertion); }},
    {"id", [](const Row& r) { return number(r.e.id, has_id(r.e.type)); }},
    {"value",
     [](const Row& r) {
       if (r.e.type == EarlType::metric) return trace::metric_value_of(r.e).text();
       if (r.e.type == EarlType::user) return r.e.id < r.d.strings.size() ? r.d.strings[r.e.id] : std::string();
       return std::string();
     }},
    {"name",
     [](const Row& r) {
       switch (r.e.type) {
         case EarlType::metric:
           return name_of(r.d.metrics, r.e.index, "metric");
         case EarlType::sample:
           return function_of(r);
         case EarlType::user:
           return r.e.index < r.d.user_types.size() ? r.d.user_types[r.e.index] : std::string();
         case EarlType::put_1ts:
         case EarlType::atomic_1ts:
           return r.e.reduction == trace::Reduction::unknown ? std::string() : to_string(r.e.reduction);
         case EarlType::io_start:
         case EarlType::io_end:
           return r.e.index < r.d.files.size() ? r.d.files[r.e.index] : std::string();
         default:
           return std::string();
       }
     }},
    {"enter", [](const Row& r) { return count_of(r.e.enter); }},
    {"link", [](const Row& r) { return count_of(r.e.link); }},
    {"forward", [](const Row& r) { return count_of(r.e.forward); }},
    {"path",
     [](const Row& r) {
       if (r.e.type != EarlType::sample) return trace::call_path_text(r.d, r.e.region);
       return r.e.index < r.d.callers.size() ? trace::caller_text(r.d, r.d.callers[r.e.index].parent) : std::string();
     }},
};

}  // namespace

const std::vector<std::string>& csv_event_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Column& c : columns) all.push_back(c.name);
    return all;
  }();
  return names;
}

Result<void> write_csv_events(const View& view, const std::string& path, const CsvOptions& options) {
  std::vector<const Column*> chosen;
  for (const std::string& name : options.columns.empty() ? csv_event_columns() : options.columns) {
    const auto* found =
        std::find_if(std::begin(columns), std::end(columns), [&](const Column& c) { return name == c.name; });
    if (found == std::end(columns))
      return fail(ErrorKind::usage, "there is no column '" + name + "'", "", "",
                  fmt::format("the columns are: {}", fmt::join(csv_event_columns(), ",")));
    chosen.push_back(found);
  }
  MORA_TRY(const auto file, OutputFile::create(path, options.force));
  std::string line;
  for (const Column* c : chosen) line += (line.empty() ? "" : ",") + std::string(c->name);
  file->write(line + "\n");
  const trace::Position first = options.window.first(view), last = options.window.last(view);
  {
    Progress progress(options.progress, "write", last < first ? 0 : last - first + 1);
    for (trace::Position p = first; p <= last && !file->failed(); ++p) {
      progress.advance(1);
      EventWindow::passed(view, p);
      if (!options.window.shows(view, view.location(p))) continue;
      const Row row{view, view.definitions(), p, view.event(p)};
      line.clear();
      for (const Column* c : chosen) {
        if (c != chosen.front()) line += ',';
        line += csv_cell(c->value(row));
      }
      file->write(line += '\n');
    }
  }
  return file->commit();
}

Result<void> write_csv_messages(const View& view, const std::string& path, const CsvOptions& options,
                                DataQuality& quality) {
  MORA_TRY(const auto file, OutputFile::create(path, options.force));
  const trace::Definitions& d = view.definitions();
  const Arrows arrows(view, options.arrows);
  const auto overtaken = arrows.moved() ? std::set<Position>() : overtaken_gets(view);
  file->write("kind,from,to,bytes,start_ns,end_ns,tag,comm,window,start_event,end_event,remark\n");
  const trace::Position first = options.window.first(view), last = options.window.last(view);
  std::uint64_t reduced = 0;
  {
    Progress progress(options.progress, "write", last < first ? 0 : last - first + 1);
    for (trace::Position p = first; p <= last && !file->failed(); ++p) {
      progress.advance(1);
      EventWindow::passed(view, p);
      const auto a = arrows.starting_at(p);
      if (!a || !options.window.shows(view, a->from) || !options.window.shows(view, a->to) ||
          !options.window.shows_time(a->end))
        continue;
      const bool message = a->kind == ArrowKind::message;
      reduced += a->reduced ? 1 : 0;
      const std::string remark = a->reduced                ? "epsilon reduced"
                                 : overtaken.count(p) != 0 ? "read after a put drawn later"
                                                           : "";
      file->write(fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", to_string(a->kind),
                              csv_location(d.locations[a->from]), csv_location(d.locations[a->to]), a->bytes, a->start,
                              a->end,
                              message                         ? std::to_string(a->tag)
                              : a->kind == ArrowKind::request ? "request"
                                                              : "data",
                              csv_cell(name_of(d.communicators, a->comm, "comm")),
                              csv_cell(name_of(d.windows, a->window, "window")), a->start_event, a->end_event, remark));
    }
  }
  count_arrows(0, reduced, quality);
  if (!overtaken.empty())
    quality.add("get-drawn-before-put", Severity::info, "", overtaken.size(),
                "Gets are listed before the Puts whose values they read; the order of their unlocks is the right one",
                "use --show-transfers logical");
  return file->commit();
}

Result<void> write_csv_dependencies(const View& view, const std::string& path, const CsvOptions& options) {
  MORA_TRY(const auto file, OutputFile::create(path, options.force));
  const trace::Definitions& d = view.definitions();
  file->write(
      "kind,window,from_event,from_time_ns,from_location,from_type,to_event,to_time_ns,to_location,to_type,"
      "collective\n");
  const auto side = [&](trace::Position p) {
    if (p == 0) return std::string(",,,");
    return fmt::format("{},{},{},{}", p, view.time(p), csv_location(d.locations[view.location(p)]),
                       trace::to_string(view.type(p)));
  };
  const auto shown = [&](trace::Position p) {
    return p == 0 || (options.window.shows(view, view.location(p)) && options.window.shows_time(view.time(p)));
  };
  for (Dependency& dep : dependencies(view)) {
    std::erase_if(dep.collective, [&](trace::Position p) { return !shown(p); });
    if (!shown(dep.from) || !shown(dep.to) || (dep.kind == DependencyKind::fence && dep.collective.empty())) continue;
    file->write(fmt::format("{},{},{},{},{}\n", to_string(dep.kind), csv_cell(name_of(d.windows, dep.window, "window")),
                            side(dep.from), side(dep.to), fmt::join(dep.collective, " ")));
  }
  return file->commit();
}

}  // namespace mora::exports
