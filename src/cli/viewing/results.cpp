#include "cli/viewing/results.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "analysis/metric_info.h"
#include "base/file.h"
#include "base/json/json_document.h"
#include "cli/predict/predicting.h"
#include "cli/viewing/opened_timeline.h"
#include "cube/algebra.h"
#include "predict/machine/model.h"
#include "report/advice/advice.h"
#include "report/compare/compare_report.h"
#include "report/findings/findings.h"
#include "report/intervals/executions.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/quality_notes.h"
#include "report/pop/pop_json.h"
#include "report/report.h"
#include "report/teaching/teaching.h"
#include "serve/assets.h"
#include "serve/cells.h"
#include "serve/offline/page.h"
#include "serve/offline/store.h"
#include "serve/offline/stretches.h"
#include "serve/sandwich.h"
#include "serve/waiting.h"

namespace mora::cli {
namespace {

constexpr const char* json_type = "application/json";
constexpr std::size_t page_values_at_most = 3'000'000;  ///< of single locations
constexpr std::size_t surroundings_at_most = 12, page_processes_at_most = 20'000;
constexpr std::size_t page_sandwiches_at_most = 4 << 20;  ///< bytes before packing
constexpr std::size_t traffic_intervals_at_most = 24, traffic_bytes_at_most = 2 << 20;
/// Of a trace whose critical path is in the page, if the results have none: it needs an analysis of its own.
constexpr std::uint64_t path_events_at_most = 20'000'000;
/// What the page holds of questions about the whole run, beside the stretches.
const std::vector<std::pair<const char*, std::map<std::string, std::string>>> page_questions{
    {"timeline/path", {{"limit", "4000"}}}, {"timeline/intervals", {{"columns", "4000"}, {"limit", "12000"}}}};

bool is_wide(const analysis::IntervalTable& table) {
  return std::any_of(table.intervals.begin(), table.intervals.end(),
                     [](const analysis::Interval& one) { return one.processes.size() > page_processes_at_most; });
}

/// The worst instance of each finding, the costliest first.
std::vector<serve::Surroundings> worst_instances(const report::ReportData& data) {
  std::vector<serve::Surroundings> around;
  for (const report::Finding& finding : data.findings) {
    if (around.size() == surroundings_at_most) break;
    const report::Instance& worst = finding.worst;
    around.push_back({worst.begin, worst.end, worst.rank, worst.cause_rank.value_or(worst.rank)});
  }
  return around;
}

/// The matrix, and as many of its parts as fit; `viewer/src/offline.ts` finds them by the question.
Result<void> add_traffic(serve::PageContent& page, const serve::Site& site, const analysis::IntervalTable& table) {
  std::vector<std::pair<std::string, std::string>> questions{{"", ""}, {"by", "node"}, {"order", "clustered"}};
  for (const char* kind : {"messages", "transfers"}) questions.emplace_back("kind", kind);
  for (std::size_t i = 1; i < std::min(table.intervals.size(), traffic_intervals_at_most); ++i)
    questions.emplace_back("interval", table.number(i));
  std::size_t bytes = 0;
  for (const auto& [name, value] : questions) {
    const bool is_whole = name.empty();
    auto text = site.ask("timeline/traffic",
                         is_whole ? serve::Query() : serve::Query(std::map<std::string, std::string>{{name, value}}));
    if (!text && is_whole) return tl::unexpected(text.error());
    if (!text || (!is_whole && (bytes += text->size()) > traffic_bytes_at_most)) continue;
    page.answers.emplace_back("timeline/traffic" + (is_whole ? "" : "?" + name + "=" + value), std::move(*text));
  }
  if (auto activity = site.ask("timeline/activity"))  // a trace without a length has none
    page.answers.emplace_back("timeline/activity", std::move(*activity));
  return {};
}

/// The teaching trace of a wait state, drawn as `mora explain` draws it; both texts are empty for metrics without one.
Result<std::string> example_json(const std::string& metric) {
  std::string caption, picture;
  if (const report::TeachingTrace* trace = report::find_teaching_trace(metric); trace != nullptr) {
    MORA_TRY(const report::Picture made, report::teaching_picture(*trace));
    caption = report::teaching_text(*trace).caption;
    picture = report::draw(made, {});
  }
  JsonWriter json;
  json.object("caption", caption, "picture", picture);
  return json.take();
}

std::string summary_of(const Analysed& analysed) {
  return report::summary_json(analysed.data, &*analysed.cube, analysis::all_metrics());
}

using MakeText = std::string (*)(const Results&);

/// What is made of the table of intervals.
const std::vector<std::pair<const char*, MakeText>> texts_of_table{
    {"intervals",
     [](const Results& results) {
       report::IntervalReportOptions options;
       if (is_wide(results.table)) options.ranks.emplace();  // no more rows than a page can be given
       return report::intervals_json(results.table, options, results.analysed.data.quality);
     }},
    {"pop",
     [](const Results& results) {
       JsonDocument json("mora-pop");
       report::pop_fields(json, analysis::pop_metrics(*results.analysed.cube, results.table, 0));
       return json.finish(results.analysed.data.quality);
     }},
    {"advice", [](const Results& results) {
       const Analysed& analysed = results.analysed;
       const report::advice::Input input{analysed.data, *analysed.cube, results.table, nullptr, {}, ""};
       return report::advice::advice_json(report::advice::advise(input, {}), analysed.data.quality);
     }}};

/// The wait states that the run has, whose examples the page holds.
std::set<std::string> examples_of(const report::ReportData& data) {
  std::set<std::string> metrics;
  for (const report::MetricRow& row : data.metrics)
    if (row.inclusive > 0 && report::find_teaching_trace(row.id) != nullptr) metrics.insert(row.id);
  return metrics;
}

}  // namespace

Result<std::unique_ptr<Results>> results_of(const std::string& path) {
  auto results = std::make_unique<Results>();
  MORA_TRY(results->analysed, load_cells(path));
  Analysed& loaded = results->analysed;
  if (loaded.data.metrics.empty()) {
    std::uint32_t ranks = 0;
    for (const cube::Location& location : loaded.cube->locations) ranks = std::max(ranks, location.rank + 1);
    loaded.data.run.program = std::filesystem::path(path).filename().string();
    loaded.data.run.trace = path;
    loaded.data.run.trace_format = "CUBE";
    loaded.data.run.ranks = ranks;
    loaded.data.run.locations = static_cast<std::uint32_t>(loaded.cube->locations.size());
    loaded.data.metrics = report::metric_rows(*loaded.cube, ranks);
  }
  const bool has_many = loaded.cube->locations.size() > page_processes_at_most;
  if (has_many) results->texts["summary"] = summary_of(loaded);  // it makes a table of its own: never two at once
  results->table = analysis::interval_table(*loaded.cube);
  if (!has_many || !is_wide(results->table)) return results;
  for (const auto& [name, make] : texts_of_table) results->texts[name] = make(*results);
  for (analysis::Interval& interval : results->table.intervals) {  // {} alone would keep their memory
    interval.processes = analysis::ProcessList();
    interval.kinds = std::vector<analysis::KindRow>();
  }
  return results;
}

void add_results(serve::Site& site, const Results& results, const std::string& prefix) {
  const Analysed& analysed = results.analysed;
  const analysis::IntervalTable& table = results.table;
  const cube::Cube& cube = *analysed.cube;
  site.add(prefix + "report", json_type,
           [&](const serve::Query&) -> Result<std::string> { return report::findings_json(analysed.data); });
  const auto add = [&](const std::string& name, auto make) {
    const auto made = results.texts.find(name);
    if (made != results.texts.end()) return site.add(prefix + name, json_type, made->second);
    site.add(prefix + name, json_type, [make](const serve::Query&) -> Result<std::string> { return make(); });
  };
  add("summary", [&results] { return summary_of(results.analysed); });
  site.add(prefix + "figures", json_type, compare::figure_names_json());
  serve::add_cells(site, {std::shared_ptr<void>(), &cube}, prefix);
  site.add_question(prefix + "waiting", json_type, [&](const serve::Query& query) {
    const auto& kept = analysed.waiting_over_time;
    return serve::waiting_json(cube, kept ? &*kept : nullptr, query);
  });
  site.add_question(prefix + "example", json_type,
                    [](const serve::Query& query) { return example_json(query.text("metric")); });
  if (table.intervals.empty()) return;
  for (const auto& [name, make] : texts_of_table) add(name, [&results, make = make] { return make(results); });
}

ExecutionsOf executions_in(const Results& results) {
  return [&results](trace::MarkedSource& source, const std::string& number) -> Result<serve::Executions> {
    std::string why;
    const std::size_t interval = results.table.find(number, &why);
    if (interval == SIZE_MAX) return fail(ErrorKind::usage, why, number);
    return report::executions_of(source, results.table, interval);
  };
}

Result<void> add_comparison(serve::Site& site, const Results& one, const std::string& path, const Results& other,
                            const std::string& other_path) {
  const auto run_of = [](const Results& results, const std::string& name) {
    const auto& more = results.analysed.data.run.more;
    const auto date = more.find("date");
    return compare::make_run(name, date == more.end() ? "" : date->second, *results.analysed.cube);
  };
  std::vector<compare::Run> runs{run_of(one, path), run_of(other, other_path)};
  std::vector<compare::Configuration> configurations{{"A", {0}, false}, {"B", {1}, false}};
  compare::add_notes(runs, configurations);
  const compare::Comparison comparison(std::move(runs), std::move(configurations));
  site.add("compare", json_type, compare::compare_json(comparison, {}));
  JsonWriter words;
  words.object("words", list(compare::change_sentences(comparison)));
  site.add("compare/words", json_type, words.take());
  MORA_TRY(auto difference, cube::difference(*other.analysed.cube, *one.analysed.cube));
  const auto cube = std::make_shared<const cube::Cube>(std::move(difference.cube));
  serve::add_cells(site, cube, "difference/");
  return {};
}

Result<void> add_prediction(serve::Site& site, const std::string& path, const std::string& machine,
                            const std::string& prefix) {
  MORA_TRY(const std::string text, read_file(machine));
  MORA_CHECK_OK(predict::parse_machine_model(text, machine));
  struct Made {
    std::mutex guard;
    std::optional<Result<std::string>> text;
  };
  site.add(prefix + "predict", json_type, [path, machine, made = std::make_shared<Made>()](const serve::Query&) {
    const std::lock_guard lock(made->guard);
    if (!made->text) {
      Arguments arguments;
      arguments.positionals = {path};
      arguments.options = {{"on", {machine}}, {"check", {}}, {"what-if", {}}, {"json", {}}};
      const auto predicted = make_prediction(arguments);
      made->text = predicted ? Result<std::string>(predicted->json()) : tl::unexpected(predicted.error());
    }
    return *made->text;
  });
  return {};
}

void add_session(serve::Site& site, bool is_compared, bool is_predicted) {
  JsonWriter session;
  session.object("compared", is_compared, "predicted", is_predicted);
  site.add("session", json_type, session.take());
}

Result<std::string> page_of(const Results& results, const std::string& path, const std::string& machine) {
  if (serve::assets().empty()) return serve::no_viewer();
  serve::Site site("");
  add_results(site, results);
  if (!machine.empty()) MORA_CHECK_OK(add_prediction(site, path, machine));
  add_session(site, false, !machine.empty());
  OpenedTimeline opened(path, results);
  opened.add_to(site, "", executions_in(results));
  const serve::Timeline* const timeline = opened.wait();
  serve::PageContent page;
  for (const std::string& name : site.names()) {
    MORA_TRY(std::string text, site.ask(name));
    page.answers.emplace_back(name, std::move(text));
  }
  for (auto& [question, text] : serve::all_sandwiches(*results.analysed.cube, page_sandwiches_at_most))
    page.answers.emplace_back("sandwich?" + question, std::move(text));
  MORA_TRY(std::string waiting, site.ask("waiting"));
  page.answers.emplace_back("waiting", std::move(waiting));
  for (const std::string& metric : examples_of(results.analysed.data)) {
    MORA_TRY(std::string text, example_json(metric));
    page.answers.emplace_back("example?metric=" + metric, std::move(text));
  }
  page.store = serve::store_json(*results.analysed.cube, page_values_at_most);
  if (timeline != nullptr) {
    MORA_CHECK_OK(add_traffic(page, site, results.table));
    for (const auto& [name, values] : page_questions) {  // what they lack is said where it is missing
      if (timeline->duration() <= 0) break;
      if (std::string(name) == "timeline/path") {
        if (!results.analysed.critical_path && timeline->events() > path_events_at_most) continue;
        MORA_CHECK_OK(opened.find_path());
      }
      std::map<std::string, std::string> whole_run = values;
      whole_run["until"] = std::to_string(timeline->duration());
      MORA_TRY(std::string answer, site.ask(name, serve::Query(whole_run)));
      page.answers.emplace_back(name, std::move(answer));
    }
    MORA_TRY(page.stretches, serve::stretches_json(*timeline, worst_instances(results.analysed.data)));
  }
  return serve::offline_page(page);
}

}  // namespace mora::cli
