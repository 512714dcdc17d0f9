/// Words and tables. Times are printed in milliseconds, in JSON exactly in seconds.
///
/// What is said first is what the reader can judge by: the predicted run between its bounds and the baselines. Then the
/// parts of the time in MPI, by rank and by call path; at the end always what was not modelled, with its share. Cost:
/// the call paths times the ranks. Limits: text cuts long lists, JSON holds all.
#include "predict/prediction/report.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json/json_document.h"

namespace mora::predict {

namespace {

Cell milliseconds(Nanoseconds time) { return {Seconds{time}, fmt::format("{:.3f}", static_cast<double>(time) / 1e6)}; }

std::string share_words(Nanoseconds part, Nanoseconds whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

constexpr std::string_view k_saw_run =
    "the correction was learned from this run, too: how well it corrects it says nothing about others";

std::string percent(double relative) { return fmt::format("{:+.1f} %", 100 * relative); }
std::string size_of_error(double relative) { return fmt::format("{:.1f} %", 100 * relative); }

std::string classes_words(const Prediction& p) {
  std::string words;
  for (const Locality locality : p.classes) words += (words.empty() ? "" : ", ") + std::string(name_of(locality));
  return words.empty() ? "none" : words;
}

std::vector<std::string_view> shared_names(const SharedCosts& shared) {
  std::vector<std::string_view> names;
  if (shared.connection_ns_per_byte > 0) names.emplace_back("connection");
  if (shared.memory_ns_per_byte > 0) names.emplace_back("memory");
  if (shared.link_ns_per_byte > 0) names.emplace_back("links");
  return names;
}

/// What several pairs of ranks use together, and the model does not say how fast it is; empty: nothing.
std::string_view unshared_words(const SharedCosts& shared) {
  if (shared.link_ns_per_byte > 0) return shared.memory_ns_per_byte > 0 ? "" : "memory";
  if (shared.connection_ns_per_byte > 0)
    return shared.memory_ns_per_byte > 0 ? "links between switches" : "memory, and of links between switches,";
  return shared.memory_ns_per_byte > 0 ? "links" : "links and memory";
}

void write_head(TextPage& page, const Prediction& p, const PredictionNames& names) {
  page.banner("PREDICTION");
  page.item("program: ", fmt::format("{}{}, {} ranks", names.trace, names.scaled ? " and other runs, scaled" : "",
                                     p.by_rank.size()));
  page.item("machine: ", fmt::format("{}; classes of distance: {}; collectives of {}; placement: {}", names.machine,
                                     classes_words(p), names.collectives, names.placement));
  if (const auto shared = shared_names(p.shared); !shared.empty())
    page.item("shared by several ranks: ", fmt::format("{}", fmt::join(shared, ", ")));
  if (names.compute_factor != 1'000'000)
    page.item("computation: ",
              fmt::format("{} times what was recorded", static_cast<double>(names.compute_factor) / 1e6));
  page.line();
}

void write_scaled(TextPage& page, const ScaledFrom& from, bool explain) {
  page.banner("SCALED");
  std::string runs;
  for (const ScaledFrom::Run& run : from.runs)
    runs += fmt::format("{}{} ({} ranks)", runs.empty() ? "" : ", ", run.trace, run.ranks);
  page.item("from: ", runs);
  if (from.is_beyond())
    page.item("* ",
              fmt::format("all figures are extrapolated: {} ranks are {:.3g} times as many as the largest run has{}",
                          from.ranks, static_cast<double>(from.ranks) / from.largest(),
                          from.is_far() ? "; that is far" : ""));
  page.item("* ", fmt::format("{:.3f} ms of computation and {:.3f} ms of local MPI calls (files, MPI_Init) of a rank; "
                              "the worst law is {} off at a run that is left out (limit: {}); {} of both has no law{}",
                              static_cast<double>(from.computation) / 1e6, static_cast<double>(from.local) / 1e6,
                              size_of_error(from.worst_error), size_of_error(from.limit),
                              share_words(from.unfitted, from.computation + from.local),
                              explain ? "" : " (--explain lists the laws)"));
  for (const std::string& remark : from.remarks) page.item("* ", remark);
  if (!explain) return;
  Table table({number("left out", 8), number("ms", 9), words("call path, what: law")});
  for (const ScaledLaw& law : from.laws)
    table.add({law.leave_one_out ? Cell(*law.leave_one_out, size_of_error(*law.leave_one_out)) : Cell("-"),
               law.predicted != 0 ? milliseconds(law.predicted) : Cell("-"),
               fmt::format("{}, {}: {}", law.path, law.what, law.words)});
  page.table(table);
  page.paragraph("left out: error at a run that is left out of the fit (-: no law, or not tested); ms: of a rank");
}

void write_runs(TextPage& page, const Prediction& p, bool is_scaled = false) {
  Table table({words("", 34), number("run time ms", 12), number("MPI time ms", 12), number("of run", 7)});
  const auto add = [&](const char* name, const PredictedRun& run) {
    table.add({name, milliseconds(run.run_time), milliseconds(run.mpi_time),
               share_words(run.mpi_time,
                           run.run_time * static_cast<Nanoseconds>(std::max<std::size_t>(1, run.ranks.size())))});
  };
  add("predicted", p.machine);
  add(is_scaled ? "  costs and fits at their lower ends" : "  all costs lower by their error", p.low);
  add(is_scaled ? "  costs and fits at their upper ends" : "  all costs higher by their error", p.high);
  add("baseline: network costs nothing", p.free);
  add("baseline: Hockney's straight line", p.hockney);
  if (!is_scaled) add("recorded", p.measured);
  page.table(table);
  page.paragraph(
      "run time: until the last rank comes to MPI_Finalize; MPI time: of all ranks, without MPI_Init and "
      "MPI_Finalize");
}

/// A run that is scaled was never recorded.
Cells time_cells(const PredictedTime& t, bool is_scaled) {
  Cells cells = {milliseconds(t.total()), milliseconds(t.waiting), milliseconds(t.transfer), milliseconds(t.overhead),
                 milliseconds(t.local)};
  if (!is_scaled) cells.push_back(milliseconds(t.measured));
  return cells;
}

std::vector<Column> time_columns(std::vector<Column> first, bool is_scaled, std::vector<Column> last = {}) {
  for (const char* name : {"MPI", "wait", "transfer", "overhead", "local"}) first.push_back(number(name, 10));
  if (!is_scaled) first.push_back(number("recorded", 10));
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

void write_unmodelled(TextPage& page, const Prediction& p, bool explain, bool is_scaled = false) {
  page.banner("NOT MODELLED");
  if (p.largest_beyond != 0)
    page.item("* ", fmt::format("messages of up to {} bytes are larger than what was measured: all figures rest on "
                                "the model's last line",
                                p.largest_beyond));
  if (p.collectives_by_need != 0)
    page.item("* ", fmt::format("{} collective operations, whose sizes or partners are not known, wait for whom they "
                                "need and cost nothing more",
                                p.collectives_by_need));
  Nanoseconds all = 0;
  std::uint64_t calls = 0;
  for (const Unmodelled& one : p.unmodelled) {
    all += one.measured;
    calls += one.calls;
  }
  page.item("* ", fmt::format("calls that are only approximated: {}{}",
                              is_scaled ? fmt::format("{}", calls)
                                        : share_words(all, p.measured.mpi_time) + " of the recorded MPI time",
                              explain || p.unmodelled.empty() ? "" : " (--explain lists them)"));
  const std::string_view unshared = unshared_words(p.shared);
  page.item("* ", fmt::format(
                      "{}progress of messages that needs an MPI call of the other end; the error bar does not "
                      "hold what is not modelled",
                      unshared.empty() ? "" : fmt::format("sharing of {} by several pairs of ranks, and ", unshared)));
  if (!shared_names(p.shared).empty())
    page.item("* ",
              "non-blocking collectives of neighbours, or of sizes that each member knows by itself, share nothing");
  for (const QualityRow& row : p.quality.rows()) {
    if (row.severity != Severity::info) page.item("* ", fmt::format("{}: {} {}", row.kind, row.count, row.what));
  }
  if (!explain || p.unmodelled.empty()) return;
  std::vector<Column> columns = {words("call", 20), number("calls", 10)};
  if (!is_scaled) columns.insert(columns.end(), {number("recorded", 10), number("of MPI", 7)});
  columns.push_back(cut_words("how"));
  Table table(columns);
  for (const Unmodelled& one : p.unmodelled) {
    Cells cells = {one.function, one.calls};
    if (!is_scaled) {
      cells.push_back(milliseconds(one.measured));
      cells.emplace_back(share_words(one.measured, p.measured.mpi_time));
    }
    cells.emplace_back(one.how);
    table.add(std::move(cells));
  }
  page.table(table);
}

void write_changes(TextPage& page, const Prediction& p, const std::vector<WhatIf>& changes, bool is_scaled) {
  page.banner("WHAT IF");
  std::vector<Column> columns = {number("run time ms", 12)};
  if (!is_scaled) columns.push_back(number("of recorded", 11));
  columns.insert(columns.end(), {number("from", 12), number("to", 12)});
  if (!is_scaled) columns.push_back(number("error", 8));
  columns.push_back(cut_words("", 52));
  Table table(columns);
  for (const WhatIf& one : changes) {
    Cells cells = {milliseconds(one.run_time)};
    if (!is_scaled) cells.emplace_back(share_words(one.run_time, p.measured.run_time));
    cells.push_back(one.low ? milliseconds(*one.low) : Cell("-"));
    cells.push_back(one.high ? milliseconds(*one.high) : Cell("-"));
    if (!is_scaled) cells.push_back(one.error ? Cell(*one.error, percent(*one.error)) : Cell("-"));
    cells.emplace_back(one.words);
    table.add(std::move(cells));
  }
  page.table(table);
  page.paragraph(is_scaled
                     ? "from, to: with all costs lower and higher by the errors that the model states, and all "
                       "fitted times and sizes at the ends of their intervals"
                     : "from, to: with all costs lower and higher by the errors that the model states; error: how "
                       "far the recorded run itself is predicted from what was measured, on the same network");
}

void write_sensitivity(TextPage& page, const std::vector<Sensitivity>& parts) {
  page.banner("SENSITIVITY");
  Table table({number("of run", 8), number("1 % longer at", 14), cut_words("", 52)});
  for (const Sensitivity& part : parts)
    table.add({Cell(part.share, size_of_error(part.share)),
               part.tolerance ? Cell(*part.tolerance, fmt::format("{:.4g} times", *part.tolerance)) : Cell("-"),
               part.words});
  page.table(table);
  page.paragraph(
      "of run: growth of the run time for each growth of the costs, at an eighth more: their share of the critical "
      "path; 1 % longer at: so many times as long they may be before the run is 1 % longer (-: a thousand times)");
}

void write_corrected(TextPage& page, const CorrectedTimes& corrected) {
  page.banner("CORRECTED BY MEASURED RUNS: MPI time (ms)");
  page.table({number("rank", 6), number("predicted", 12), number("corrected", 12), number("from", 12), number("to", 12),
              cut_words("out of the range that was learned", 33)},
             corrected.ranks, "ranks", [](const CorrectedRank& rank) {
               return Cells{rank.rank,
                            milliseconds(rank.predicted),
                            rank.applies ? milliseconds(rank.corrected) : Cell("-"),
                            milliseconds(rank.low),
                            milliseconds(rank.high),
                            fmt::format("{}", fmt::join(rank.beyond, ", "))};
             });
  page.paragraph(fmt::format(
      "{} applies to {} of {} ranks; from, to: all costs lower and higher by the model's errors, and at least by {}, "
      "the "
      "ninth decile of the correction's own on applications held out; the run time is not corrected",
      corrected.file, corrected.applied(), corrected.ranks.size(), size_of_error(corrected.held_out_error)));
  if (corrected.extrapolated() != 0)
    page.paragraph(fmt::format(
        "{} of them are larger or smaller than the runs that it was learned from: there it is extrapolated, and the "
        "error bar does not hold that",
        corrected.extrapolated()));
  if (corrected.saw_run) page.paragraph(std::string(k_saw_run));
}

void write_scaled(JsonWriter& json, const ScaledFrom& from) {
  json.key("scaled").begin_object().fields(
      "ranks", from.ranks, "times_the_largest_run", static_cast<double>(from.ranks) / from.largest(), "extrapolated",
      from.is_beyond(), "far", from.is_far(), "computation", Seconds{from.computation}, "local_calls",
      Seconds{from.local}, "without_law", Seconds{from.unfitted}, "worst_leave_one_out", from.worst_error, "limit",
      from.limit);
  json.key("runs").begin_array();
  for (const ScaledFrom::Run& run : from.runs) json.line("trace", run.trace, "ranks", run.ranks);
  json.end_array().key("remarks").begin_array();
  for (const std::string& remark : from.remarks) json.string(remark);
  json.end_array().key("laws").begin_array();
  for (const ScaledLaw& law : from.laws)
    json.line("path", law.path, "of", law.what, "law", law.words, "leave_one_out", law.leave_one_out, "computation",
              law.predicted != 0 ? std::optional(Seconds{law.predicted}) : std::nullopt);
  json.end_array().end_object();
}

void write_run(JsonWriter& json, const char* key, const PredictedRun& run) {
  json.key(key).line("run_time", Seconds{run.run_time}, "mpi_time", Seconds{run.mpi_time});
}

/// The parts of a time, as fields of the object that is open.
void write_time(JsonWriter& json, const PredictedTime& t, bool is_scaled) {
  json.fields("mpi_time", Seconds{t.total()}, "waiting", Seconds{t.waiting}, "transfer", Seconds{t.transfer},
              "overhead", Seconds{t.overhead}, "local", Seconds{t.local});
  if (!is_scaled) json.fields("recorded", Seconds{t.measured});
}

void write_summary(JsonWriter& json, const char* key, const ErrorSummary& s) {
  json.key(key).line("count", s.count, "median", s.median, "ninth_decile", s.ninth_decile, "worst", s.worst,
                     "mean_signed", s.mean_signed);
}

}  // namespace

std::string prediction_text(const Prediction& p, const PredictionNames& names, bool explain, const TextOptions& options,
                            const std::vector<WhatIf>& changes, const std::vector<Sensitivity>& parts,
                            const std::optional<CorrectedTimes>& corrected) {
  TextPage page(options);
  const bool is_scaled = names.scaled.has_value();
  write_head(page, p, names);
  write_runs(page, p, is_scaled);
  if (corrected) write_corrected(page, *corrected);
  if (names.scaled) write_scaled(page, *names.scaled, explain);
  if (!changes.empty()) write_changes(page, p, changes, is_scaled);
  if (!parts.empty()) write_sensitivity(page, parts);
  page.banner("RANKS (ms)");
  std::vector<std::uint32_t> ranks(p.by_rank.size());
  for (std::uint32_t r = 0; r < ranks.size(); ++r) ranks[r] = r;
  page.table(time_columns({number("rank", 6)}, is_scaled), ranks, "ranks", [&](std::uint32_t r) {
    Cells cells{r};
    for (Cell& cell : time_cells(p.by_rank[r], is_scaled)) cells.push_back(std::move(cell));
    return cells;
  });
  page.banner("CALL PATHS (ms, all ranks)");
  page.table(time_columns({}, is_scaled, {number("calls", 8), words("kind", 14), cut_words("call path", 32)}), p.calls,
             "call paths", [&](const PredictedCall& call) {
               const PredictedTime sum = call.sum();
               Cells cells = time_cells(sum, is_scaled);
               cells.emplace_back(sum.visits);
               cells.emplace_back(call.kind);
               cells.emplace_back(call.path);
               return cells;
             });
  write_unmodelled(page, p, explain, is_scaled);
  return page.take();
}

std::string check_text(const Prediction& p, const Check& check, const PredictionNames& names,
                       const TextOptions& options, bool saw_run) {
  TextPage page(options);
  write_head(page, p, names);
  write_runs(page, p);
  page.banner("ERRORS: (predicted - recorded) / recorded");
  Table table({words("", 34), number("count", 7), number("median", 9), number("90th perc.", 11), number("worst", 11)});
  const auto add = [&](const std::string& name, const ErrorSummary& s) {
    table.add({name, s.count, Cell(s.median, size_of_error(s.median)),
               Cell(s.ninth_decile, size_of_error(s.ninth_decile)), Cell(s.worst, percent(s.worst))});
  };
  add("MPI time of a rank", check.ranks);
  if (check.corrected_ranks) add("  corrected by measured runs", *check.corrected_ranks);
  add("  network costs nothing", check.free_ranks);
  add("  Hockney's straight line", check.hockney_ranks);
  add("call path of a rank", check.calls);
  add("  network costs nothing", check.free_calls);
  add("  Hockney's straight line", check.hockney_calls);
  page.table(table);
  page.item("run time: ", fmt::format("{} (network costs nothing {}, Hockney {})", percent(check.run_time_error),
                                      percent(check.free_run_time_error), percent(check.hockney_run_time_error)));
  if (saw_run) page.paragraph(std::string(k_saw_run));
  if (check.left_out != 0)
    page.paragraph(fmt::format("{} call paths of ranks are left out: less than a hundredth of their rank's MPI time",
                               check.left_out));
  page.banner("WORST");
  page.table({number("error", 10), number("predicted", 12), number("recorded", 12), number("rank", 6),
              cut_words("call path", 32)},
             check.by_call, "call paths of ranks", [&](const CheckedTime& time) {
               return Cells{Cell(time.error(), percent(time.error())), milliseconds(time.predicted),
                            milliseconds(time.measured), time.rank, time.path};
             });
  write_unmodelled(page, p, false);
  return page.take();
}

std::string prediction_json(const Prediction& p, const PredictionNames& names, const std::optional<Check>& check,
                            const std::vector<WhatIf>& changes, const std::vector<Sensitivity>& parts,
                            const std::optional<CorrectedTimes>& corrected) {
  JsonDocument json("mora-prediction");
  const bool is_scaled = names.scaled.has_value();
  json.fields("trace", names.trace, "machine", names.machine, "collectives", names.collectives, "placement",
              names.placement, "compute_factor", static_cast<double>(names.compute_factor) / 1e6);
  if (names.scaled) write_scaled(json, *names.scaled);
  json.key("classes").begin_array();
  for (const Locality locality : p.classes) json.string(name_of(locality));
  json.end_array();
  json.key("shared").begin_array();
  for (const std::string_view name : shared_names(p.shared)) json.string(name);
  json.end_array();
  write_run(json, "predicted", p.machine);
  write_run(json, "low", p.low);
  write_run(json, "high", p.high);
  write_run(json, "free_network", p.free);
  write_run(json, "hockney", p.hockney);
  if (!is_scaled) write_run(json, "recorded", p.measured);
  json.fields("messages", p.messages, "collective_operations", p.collectives, "collectives_by_need",
              p.collectives_by_need, "largest_message_beyond_measured", if_any(p.largest_beyond));
  json.key("ranks").begin_array();
  for (std::uint32_t r = 0; r < p.by_rank.size(); ++r) {
    json.begin_line_object().fields("rank", r);
    write_time(json, p.by_rank[r], is_scaled);
    json.end_object();
  }
  json.end_array().key("call_paths").begin_array();
  for (const PredictedCall& call : p.calls) {
    const PredictedTime sum = call.sum();
    json.begin_object().fields("path", call.path, "function", call.function, "kind", call.kind, "calls", sum.visits);
    write_time(json, sum, is_scaled);
    json.key("ranks").begin_array();
    for (std::uint32_t r = 0; r < call.by_rank.size(); ++r) {
      if (call.by_rank[r].visits == 0) continue;
      json.begin_line_object().fields("rank", r, "calls", call.by_rank[r].visits);
      write_time(json, call.by_rank[r], is_scaled);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("not_modelled").begin_array();
  for (const Unmodelled& one : p.unmodelled)
    is_scaled
        ? json.line("function", one.function, "calls", one.calls, "how", one.how)
        : json.line("function", one.function, "calls", one.calls, "recorded", Seconds{one.measured}, "how", one.how);
  json.end_array();
  if (!changes.empty()) {
    json.key("what_if").begin_array();
    for (const WhatIf& one : changes) {
      json.line("change", one.key, "words", one.words, "run_time", Seconds{one.run_time}, "mpi_time",
                Seconds{one.mpi_time}, "low", one.low ? std::optional(Seconds{*one.low}) : std::nullopt, "high",
                one.high ? std::optional(Seconds{*one.high}) : std::nullopt, "error", one.error);
    }
    json.end_array();
  }
  if (!parts.empty()) {
    json.key("sensitivity").begin_array();
    for (const Sensitivity& part : parts)
      json.line("part", part.key, "words", part.words, "share", part.share, "tolerated_factor", part.tolerance);
    json.end_array();
  }
  if (corrected) {
    json.key("corrected")
        .begin_object()
        .fields("correction", corrected->file, "held_out_error", corrected->held_out_error, "learned_from_this_run",
                corrected->saw_run);
    json.key("ranks").begin_array();
    for (const CorrectedRank& rank : corrected->ranks)
      json.line("rank", rank.rank, "applies", rank.applies, "mpi_time", Seconds{rank.corrected}, "low",
                Seconds{rank.low}, "high", Seconds{rank.high}, "beyond", rank.beyond);
    json.end_array().end_object();
  }
  if (check) {
    json.key("check").begin_object().fields("run_time_error", check->run_time_error, "free_network_run_time_error",
                                            check->free_run_time_error, "hockney_run_time_error",
                                            check->hockney_run_time_error);
    write_summary(json, "ranks", check->ranks);
    if (check->corrected_ranks) write_summary(json, "corrected_ranks", *check->corrected_ranks);
    write_summary(json, "call_paths", check->calls);
    write_summary(json, "free_network_ranks", check->free_ranks);
    write_summary(json, "free_network_call_paths", check->free_calls);
    write_summary(json, "hockney_ranks", check->hockney_ranks);
    write_summary(json, "hockney_call_paths", check->hockney_calls);
    json.fields("left_out", check->left_out).key("errors").begin_array();
    for (const CheckedTime& time : check->by_call)
      json.line("rank", time.rank, "path", time.path, "predicted", Seconds{time.predicted}, "recorded",
                Seconds{time.measured}, "error", time.error());
    json.end_array().end_object();
  }
  return json.finish(p.quality.rows());
}

}  // namespace mora::predict
