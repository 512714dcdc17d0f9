/// The page is put together from fixed paragraphs and a table of all metrics; characters that Markdown interprets are
/// escaped in the table.
#include "support/analysis/metrics_page.h"

#include "analysis/metric_info.h"

namespace mora::analysis {

namespace {

constexpr std::string_view differences = R"(## Where Mora differs from Scalasca 2.6

A metric bears Scalasca's unique name where it means the same; what differs in more than the cases below has a name of its own (`mora_…`).

* Critical path, its imbalance and performance impact (`mora_critical_path`, `mora_performance_impact` …): the path is as long as the run, from the first
  event of any process through MPI_Init, MPI_Finalize, measurement and what was not recorded. Scalasca's is shorter by the time before it begins (on 34 programs 45 to
  95 ms).
* Bytes (`mora_bytes_sent`, `mora_bytes_received`): of messages and collectives, Scalasca's `bytes_sent` and `bytes_rcvd` of messages only.
* Visits (`visits`): of calls as Scalasca's; nodes of computation between calls, which it does not have, count their stretches.
* Late Sender (`mpi_latesender`): also in MPI_Probe and MPI_Mprobe (rule probe-waits) and in loops of tests and probes (rule poll-loops). Wrong order is looked for among all later
  receives, not the last 100 (rule late-sender-wrong-order). A call is Late Sender or Late Receiver (rule sender-or-receiver-late).
* Collectives: MPI_Alltoallv, Alltoallw and neighbourhoods wait for their true partners (rule true-partners), scans also for larger ranks (`mora_wait_scan`, rule
  waits-in-scans), non-blocking ones where they are completed (rule nonblocking-collectives).
* One-sided: Late Post (`mpi_rma_sync_late_post`) and Early Transfer (`mpi_rma_comm_late_post`) are never the same nanoseconds (rule late-post); Late Complete (rule late-complete) and
  Wait at Fence (rule wait-at-fence) are what could be avoided; windows are made and freed below synchronisation (rule window-handling).
* Delay costs: for all wait states that name a cause. Where a stretch explains less than its wait, Mora looks further back, Scalasca scales (rule delay-costs).

)";

/// '|' would end a cell, '*' and '_' would change the type.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string metrics_page() {
  std::string text =
      "# Metrics (normative)\n\nMade from the texts in `src/analysis/` (`MORA_UPDATE_DOCS=1 analysis_test` rewrites "
      "this page; a test compares). `mora explain ID` prints\nthe same with diagnosis and advice.\n\nCells are exact "
      "integers (ns, counts, bytes), exclusive along the call tree and inclusive along the metric tree: Late Sender's "
      "nanoseconds\nare also in Point-to-Point, MPI and Time. Exclusive times over a location's call tree sum to its "
      "lifetime (last minus first event; of OpenMP's workers: of their process). A child never\nexceeds its parent in "
      "any cell.\n\n## Notation\n\n`E(c)`, `L(c)`: enter and leave of call c. `E_p`, `L_p`: of rank p's call. `B_p`, "
      "`X_p`: begin and end record of its collective (in Mora's own\narchives the same as enter and leave). `[x]+ = "
      "max(0, x)`. A message's *enclosing* call is the one that holds its record.\n\n## How things are paired\n\n* "
      "Messages, per channel (communicator instance, source, destination, tag): the k-th send and the k-th *posted* "
      "receive that ended with\n  that envelope. Cancelled requests take no part.\n* Collectives: the n-th collective "
      "call of each member on a communicator instance (both groups of an inter-communicator); creation, fences\n  and "
      "free: the n-th on the window. Never by overlap in time.\n* Epochs of post-start-complete-wait: the k-th access "
      "epoch of (origin, target, window) and the k-th exposure epoch of (target, origin,\n  window), whatever their "
      "times: access epochs may run ahead. Accesses belong to the lock, access epoch or fence that is open at their "
      "origin.\n* Non-blocking collectives: the n-th started one of each member on a communicator instance; a start "
      "and its completion by their request.\n* MPI_Init and MPI_Finalize: over all ranks of MPI_COMM_WORLD.\n* OpenMP "
      "barriers: the n-th of each thread within one team. A team lives from fork to join (without such records: from "
      "enter to leave of a\n  parallel region on the first thread) and may be of any size. A worker's parallel region "
      "belongs to the open team whose maker entered the same\n  region, with the same number if the trace gives one; "
      "if there are several, to none "
      "(`ambiguous-team`).\n* Locks of threads and of OpenSHMEM: by number and kind (critical section, OpenMP lock, "
      "POSIX mutex), in order of acquisition.\n* Collective file operations: the n-th on one file, among those who "
      "opened it together. OpenSHMEM: the n-th on the window of the call's record;\n  `..._all` calls among all "
      "processes.\n* What lacks its partner, contradicts it, or cannot be numbered safely after a stretch without "
      "recording gets no waiting and is counted in the\n  data quality (docs/user/data-quality.md). Calls that reach "
      "into such a stretch get no waiting.\n\n## One call, several operations\n\nMPI_Waitall, Waitany, Waitsome, "
      "Sendrecv: one amount per call, the maximum over its receives (Late Sender); only if that is 0, the maximum "
      "over\nits sends (Late Receiver). So the waiting in a call never exceeds its time. A test alone never waits; a "
      "loop of them does "
      "(rule\npoll-loops).\n\n## "
      "One call, several kinds\n\nA wait or test may complete messages, non-blocking collectives, one-sided transfers "
      "and file operations at once. Its time is accounted as the first of\nthese that it completed anything of "
      "(Point-to-Point, Collective, One-Sided, MPI File I/O), but for what it\nwaits for another kind: that is time of "
      "that kind. Waits for several kinds are divided where they end: of an instant that lies in several of them, the "
      "one that ends first has it (of\nequals, the kind named first above). So w_1 <= w_2 from E(call) become w_1 and "
      "w_2 - w_1, the second beginning where the first ends (rule mixed-waits). File operations beside others get no "
      "waiting.\n\n## No rule\n\nMPI_Alltoallv, "
      "Alltoallw and neighbourhood collectives whose counts per peer were not recorded, partitioned communication, "
      "communicators of one process,\noperations without payload: broadcast or scatter whose root sends 0 bytes, "
      "reduce or gather whose root receives 0, members of the others that send and\nreceive 0.\n\n## Call paths\n\nA "
      "call path is (parent, region, call site); the root is the program. The time between two MPI calls of one parent "
      "is a node of its own,\n`compute MPI_Send@a.c:12 -> MPI_Recv@a.c:20`, before the first `compute start -> ...`, "
      "after the last `compute ... -> end`. A region without MPI calls\nof its own keeps its time itself. Numbering: "
      "preorder; siblings in order of first appearance, smaller locations first.\n\n";
  text += differences;
  text +=
      "## All metrics\n\n`w`: wait state. "
      "The tree is by parent. Sources are keys of [docs/sources.md](../sources.md) with the chapter; a metric of "
      "Scalasca is cited by its\ntitle in Scalasca's documentation, a rule of Mora's own by its name in "
      "[docs/rules.md](../rules.md).\n\n| id | name | parent | unit | | unique name in .cubex | formula | source "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const MetricInfo& info : all_metrics()) {
    text += "| `" + std::string(info.id) + "` | " + cell(info.name) + " | " +
            (info.parent.empty() ? "" : "`" + std::string(info.parent) + "`") + " | " + unit_key(info.unit) + " | " +
            (info.wait_state ? "w" : "") + " | `" + std::string(info.unique_name) + "` | " + cell(info.formula) +
            " | " + cell(info.source) + " |\n";
  }
  return text;
}

}  // namespace mora::analysis
