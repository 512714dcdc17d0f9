/// `mora view`: the results in a browser, served on loopback only.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "analysis/efficiency/interval_table.h"
#include "analysis/metric_info.h"
#include "base/json/json_document.h"
#include "cli/analysis/analysed.h"
#include "cli/command/verbs.h"
#include "cli/options/count_option.h"
#include "cli/terminal/output.h"
#include "cli/viewing/opened_timeline.h"
#include "report/advice/advice.h"
#include "report/findings/findings.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/quality_notes.h"
#include "report/pop/pop_json.h"
#include "report/report.h"
#include "serve/assets.h"
#include "serve/cells.h"
#include "serve/server.h"

namespace mora::cli {
namespace {

constexpr const char* json_type = "application/json";

/// What other verbs print with --json, made by the same functions, when it is asked for.
void add_results(serve::Site& site, const Analysed& analysed, const analysis::IntervalTable& table) {
  const cube::Cube& cube = *analysed.cube;
  site.add("report", json_type,
           [&](const serve::Query&) -> Result<std::string> { return report::findings_json(analysed.data); });
  site.add("summary", json_type, [&](const serve::Query&) -> Result<std::string> {
    return report::summary_json(analysed.data, &cube, analysis::all_metrics());
  });
  site.add("dimensions", json_type,
           [&](const serve::Query&) -> Result<std::string> { return serve::dimensions_json(cube); });
  site.add("paths", json_type, [&](const serve::Query& query) { return serve::paths_json(cube, query); });
  site.add("locations", json_type, [&](const serve::Query& query) { return serve::locations_json(cube, query); });
  if (table.intervals.empty()) return;
  site.add("intervals", json_type, [&](const serve::Query&) -> Result<std::string> {
    return report::intervals_json(table, {}, analysed.data.quality);
  });
  site.add("pop", json_type, [&](const serve::Query&) -> Result<std::string> {
    JsonDocument json("mora-pop");
    report::pop_fields(json, analysis::pop_metrics(cube, table, 0));
    return json.finish(analysed.data.quality);
  });
  site.add("advice", json_type, [&](const serve::Query&) -> Result<std::string> {
    const report::advice::Input input{analysed.data, cube, table, nullptr, {}, ""};
    return report::advice::advice_json(report::advice::advise(input, {}), analysed.data.quality);
  });
}

/// Findings, or at least the totals of a lone .cubex file.
Result<Analysed> results_of(const std::string& path) {
  MORA_TRY(Analysed loaded, load_cells(path));
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
  return loaded;
}

bool has_display() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

void print_address(const std::string& url, int port) {
  std::printf("%s\n", url.c_str());
  if (std::getenv("SSH_CONNECTION") != nullptr) {
    char host[256] = "this-machine";
    ::gethostname(host, sizeof host - 1);
    std::printf(
        "this session is remote: on your own machine run\n  ssh -N -L %d:127.0.0.1:%d %s\nand open the address there\n",
        port, port, host);
  }
  std::printf("Ctrl-C stops\n");
  std::fflush(stdout);
}

/// Blocks the signals that end the verb, in this thread and in those it starts from here on.
sigset_t ending_signals() {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  return ending;
}

Result<int> run_view(const Arguments& arguments) {
  if (serve::assets().empty()) {
    return fail(ErrorKind::system, "this Mora was built without its viewer", "", serve::why_no_assets(),
                "install npm, then build again with `make`; until then `mora report --html` writes a page without "
                "timeline");
  }
  MORA_TRY(const unsigned port, count_option(arguments, "port", 0));
  if (port > 65535) return fail(ErrorKind::usage, "there is no such port", "--port " + arguments.get("port"));
  const std::string path = analysed_path(arguments.positionals.at(0));
  MORA_TRY(const Analysed analysed, results_of(path));
  const analysis::IntervalTable table = analysis::interval_table(*analysed.cube);

  const sigset_t ending = ending_signals();
  MORA_TRY(const std::string token, serve::random_token());
  serve::Site site(token);
  for (const serve::Asset& asset : serve::assets()) site.add(asset.name, asset.type, std::string(asset.text));
  add_results(site, analysed, table);
  OpenedTimeline timeline(path);
  timeline.add_to(site);
  MORA_TRY(const auto server, serve::Server::open(site, static_cast<int>(port)));
  const std::string url = fmt::format("http://127.0.0.1:{}{}", server->port(), site.root());
  std::thread answers([&] { server->run(); });
  print_address(url, server->port());
  if (!arguments.has("no-browser") && std::getenv("SSH_CONNECTION") == nullptr && has_display()) {
    if (std::system(("xdg-open '" + url + "' >/dev/null 2>&1 &").c_str()) != 0)
      print_warning("no browser could be started");
  }
  int received = 0;
  sigwait(&ending, &received);
  server->stop();
  answers.join();
  return 0;
}

}  // namespace

const Verb verb_view{
    .name = "view",
    .summary = "show the results in a browser",
    .description =
        "Starts a small server on this machine and prints its address: an application for the browser, with the "
        "verdict, the findings, metrics by call path and rank, the timeline of all calls, intervals, and who sent how "
        "much to whom. The numbers are those of `mora report`, `mora advise` and the trace.\n\nThe server answers on "
        "127.0.0.1 only, and only to those who have the key in the address; it reads, and changes nothing. In a "
        "session "
        "over ssh the command that forwards the port is printed. Ctrl-C stops it.\n\nAn experiment or trace that is "
        "not analysed yet is analysed first, without keeping the result. A .cubex file alone, also one of another "
        "tool, shows its metrics; then there is no timeline. Guide: docs/user/view.md.",
    .positionals = {{"EXP", "an experiment directory, any trace, or a .cubex file", 1, 1}},
    .options = {{"--port", "N", "port to use on 127.0.0.1", "a free one"},
                {"--no-browser", "", "print the address, start no browser", ""}},
    .examples = {{"mora view mora-app-4", "opens the browser, or prints the address"},
                 {"mora view --port 4711 mora-app-4", "always at the same port, for ssh -L"},
                 {"mora view profile.cubex", "a CUBE file, also of Scalasca"}},
    .run = run_view,
};

}  // namespace mora::cli
