/// `mora view`: the results in a browser, served on loopback only.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "cli/command/verbs.h"
#include "cli/options/count_option.h"
#include "cli/terminal/output.h"
#include "cli/viewing/opened_timeline.h"
#include "cli/viewing/results.h"
#include "serve/assets.h"
#include "serve/server.h"

namespace mora::cli {
namespace {

bool has_display() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

void print_address(const std::string& url, int port) {
  std::printf("%s\n", url.c_str());
  if (std::getenv("SSH_CONNECTION") != nullptr) {
    char host[256] = "this-machine";
    ::gethostname(host, sizeof host - 1);
    std::printf(
        "this session is remote: on your own machine run\n  ssh -C -N -L %d:127.0.0.1:%d %s\nand open the address "
        "there\n",
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

/// Answers come from many threads, and some need tens of MiB for a moment. By default each thread keeps what it freed
/// in an arena of its own: half a GiB for a trace whose server needs a fifth of that. From here on large pieces are
/// given back when they are freed, and threads share two arenas.
void keep_little_memory() {
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, 256 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

/// The part of a link from its `#` on, which holds the view; empty for none. It becomes a word of a shell's command.
Result<std::string> asked_view(const std::string& link) {
  const std::size_t begin = link.find("#/");
  const std::string fragment = begin == std::string::npos ? "" : link.substr(begin);
  const bool is_plain = std::all_of(fragment.begin(), fragment.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("#/?&=.,-_~%+*").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (link.empty() || (!fragment.empty() && is_plain)) return fragment;
  return fail(ErrorKind::usage, "this is no link into the viewer, such as '#/explore?metric=time'", "--at " + link, "",
              "the key y copies one");
}

Result<int> run_view(const Arguments& arguments) {
  keep_little_memory();
  if (serve::assets().empty()) return serve::no_viewer();
  MORA_TRY(const unsigned port, count_option(arguments, "port", 0));
  if (port > 65535) return fail(ErrorKind::usage, "there is no such port", "--port " + arguments.get("port"));
  MORA_TRY(const std::string fragment, asked_view(arguments.get("at")));
  const std::string path = analysed_path(arguments.positionals.at(0));
  MORA_TRY(const auto results, results_of(path));
  std::string other_path;
  std::unique_ptr<Results> other;
  if (arguments.positionals.size() > 1) {
    other_path = analysed_path(arguments.positionals[1]);
    MORA_TRY(other, results_of(other_path));
  }
  ::malloc_trim(0);  // reading a .cubex file needs more than what is kept, and leaves holes

  const sigset_t ending = ending_signals();
  MORA_TRY(const std::string token, serve::random_token());
  serve::Site site(token);
  for (const serve::Asset& asset : serve::assets()) site.add(asset.name, asset.type, std::string(asset.text));
  add_results(site, *results);
  OpenedTimeline timeline(path, *results);
  timeline.add_to(site, "", executions_in(*results));
  std::unique_ptr<OpenedTimeline> other_timeline;
  if (other) {
    add_results(site, *other, "other/");
    MORA_CHECK_OK(add_comparison(site, *results, path, *other, other_path));
    other_timeline = std::make_unique<OpenedTimeline>(other_path, *other);
    other_timeline->add_to(site, "other/", executions_in(*other));
  }
  const std::string machine = arguments.get("on");
  if (!machine.empty()) {
    MORA_CHECK_OK(add_prediction(site, path, machine));
    if (other) MORA_CHECK_OK(add_prediction(site, other_path, machine, "other/"));
  }
  add_session(site, other != nullptr, !machine.empty());
  MORA_TRY(const auto server, serve::Server::open(site, static_cast<int>(port)));
  const std::string url = fmt::format("http://127.0.0.1:{}{}{}", server->port(), site.root(), fragment);
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
        "tool, shows its metrics; then there is no timeline.\n\nWith two runs there is one page more: what changed, in "
        "words and figures as `mora compare` finds them, and both timelines side by side. With a machine model there "
        "is the page What-if: the run time on that machine, with equal computation, without waiting. Guide: "
        "docs/user/view.md.",
    .positionals = {{"EXP", "an experiment directory, any trace, or a .cubex file", 1, 1},
                    {"EXP2", "a second one, to compare with the first", 0, 1}},
    .options = {{"--on", "FILE",
                 "a machine model (`mora calibrate`): adds the page What-if, the run as `mora predict` sees it there",
                 ""},
                {"--at", "LINK", "open this view: what `y` copied in the browser, or its part from the # on",
                 "Overview"},
                {"--port", "N", "port to use on 127.0.0.1", "a free one"},
                {"--no-browser", "", "print the address, start no browser", ""}},
    .examples = {{"mora view mora-app-4", "opens the browser, or prints the address"},
                 {"mora view --port 4711 mora-app-4", "always at the same port, for ssh -L"},
                 {"mora view --at '#/explore?metric=late-sender' mora-app-4", "a view that a colleague sent"},
                 {"mora view before after", "two runs: what changed"},
                 {"mora view --on cluster.json mora-app-4", "with the page What-if"},
                 {"mora view profile.cubex", "a CUBE file, also of Scalasca"}},
    .run = run_view,
};

}  // namespace mora::cli
