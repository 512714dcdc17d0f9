/// The method of the advice: from the lost time of the program down to its most probable causes.
///
/// Source: DVM analyser, 4.3 (the method for a person); that it is done by rules with confidences is Mora's (rules
/// advice, confidence-and-gain). Formulas: docs/formats/advice.md. Steps:
///
///   1. The program (level 0): its lost time and the parts of it. If the efficiency is good enough, the method stops.
///   2. Every part that is large enough, the largest first, is followed down the tree of intervals: while one nested
///      interval has most of it, the search goes on there; siblings that are still large enough are followed
///      afterwards.
///   3. Where the search stops, communication is split into waiting and the rest, and by kinds of operation.
///   4. All rules for this loss are tried there. Conclusions are ordered by their gain; the
///   first
///      is the most probable cause.
///   5. Rules about the figures (first iteration, one-process time) are tried for every interval, whatever is lost.
///
/// Idle times of nested intervals do not add up to that of the program, since processes that are late in one interval
/// may be early in the next. Idle time is therefore followed to where the process that ends last computes more than the
/// mean.
///
/// Cost: (intervals that are followed) x (rules) x (call paths of the interval x processes). Limits: no trace is read,
/// so an order of events is known only as far as findings and delay costs show it; no more than one nested interval is
/// followed per level and loss, but for siblings above the threshold `loss`.
#include <algorithm>
#include <deque>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "report/advice/gain.h"
#include "report/advice/rule.h"
#include "report/losses/losses.h"

namespace mora::report::advice {

using analysis::Characteristic;

std::string_view key_of(Loss loss) {
  static constexpr std::string_view keys[losses] = {"user_insufficient_parallelism",
                                                    "system_insufficient_parallelism",
                                                    "communication",
                                                    "device_time",
                                                    "idle_time",
                                                    "measurement",
                                                    "figures"};
  return keys[static_cast<std::size_t>(loss)];
}

std::string_view name_of(Loss loss) {
  static constexpr std::string_view names[losses] = {"repeated computation",
                                                     "MPI without communication",
                                                     "communication",
                                                     "calls of devices",
                                                     "idle time",
                                                     "measurement",
                                                     "figures"};
  return names[static_cast<std::size_t>(loss)];
}

namespace {
constexpr double high = 0.6, medium = 0.3;
constexpr double doubtful = 0.25;  ///< highest confidence where waiting is not known everywhere
}  // namespace
std::string_view confidence_word(double confidence) {
  return confidence >= high ? "high" : confidence >= medium ? "medium" : "low";
}

namespace {

struct Start {
  std::size_t interval;
  Loss loss;
};

class Method {
 public:
  Method(const Input& input, const Thresholds& limits, Advice& advice)
      : ledger_(input), limits_(limits), advice_(advice), total_(ledger_.value(0, Characteristic::total_time)) {}

  void walk_all() {
    for (const auto& [loss, amount] : advice_.split) {
      if (!counts(amount)) continue;
      std::deque<Start> starts = {{0, loss}};
      while (!starts.empty()) {
        const Start start = starts.front();
        starts.pop_front();
        walk(start, amount, starts);
      }
    }
  }

  void ask_of_figures() {
    for (std::size_t i = 0; i < ledger_.table().intervals.size(); ++i) {
      Walk walk{Loss::figures, {}, {}};
      ask({ledger_, limits_, i, Loss::figures, 0}, walk);
      if (walk.conclusions.empty()) continue;
      name_causes(i, walk);
      advice_.walks.push_back(std::move(walk));
    }
  }

 private:
  bool counts(Nanoseconds amount) const { return amount > 0 && ratio(amount, total_) >= limits_[Threshold::loss]; }

  /// The part of the followed loss that an interval has. For idle time: what the process that computes most, `last`,
  /// computes above the mean in the interval.
  Nanoseconds share_of(std::size_t interval, Loss loss, std::uint32_t last) const {
    if (loss != Loss::idle) return ledger_.loss(interval, loss);
    return std::max<Nanoseconds>(ledger_.above_mean(interval, last), 0);
  }

  void walk(const Start& start, Nanoseconds of_program, std::deque<Start>& starts) {
    Walk walk{start.loss, {}, {}};
    const Nanoseconds first_amount = ledger_.loss(start.interval, start.loss);
    walk.steps.push_back(
        {"loss", start.interval, std::string(key_of(start.loss)), first_amount, total_,
         start.interval == 0
             ? fmt::format("{}: {} of the total time", name_of(start.loss), percent_for_people(first_amount, total_))
             : fmt::format("{}, also in {}: {} of the total time", name_of(start.loss), ledger_.name(start.interval),
                           percent_for_people(first_amount, total_))});
    std::size_t here = start.interval;
    for (;;) {
      const std::uint32_t last = ledger_.interval(here).compare(Characteristic::time_outside_mpi).maximum_rank;
      const Nanoseconds whole = share_of(here, start.loss, last);
      const std::vector<std::size_t>& children = ledger_.children(here);
      std::size_t largest = SIZE_MAX;
      Nanoseconds most = 0;
      for (const std::size_t child : children) {
        const Nanoseconds amount = share_of(child, start.loss, last);
        if (amount > most) most = amount, largest = child;
      }
      if (largest == SIZE_MAX) break;
      if (start.loss == Loss::idle && most > whole) {
        walk.steps.push_back(
            {"cancels", largest, "computation_above_mean", most, whole,
             fmt::format("imbalances of nested intervals cancel out: the process that ends last computes {} above the "
                         "mean in {}, but {} in {}",
                         time_for_people(most), ledger_.name(largest), time_for_people(whole), ledger_.name(here))});
        break;
      }
      if (ratio(most, whole) < limits_[Threshold::descend]) {
        spread(here, start.loss, whole, last, walk);
        break;
      }
      walk.steps.push_back(
          {"interval", largest, start.loss == Loss::idle ? "computation_above_mean" : std::string(key_of(start.loss)),
           most, whole,
           start.loss == Loss::idle
               ? fmt::format("in {}: {} of what the process that ends last computes above the mean",
                             ledger_.name(largest), percent_for_people(most, whole))
               : fmt::format("in {}: {} of the {} in {}", ledger_.name(largest), percent_for_people(most, whole),
                             percent_for_people(whole, total_), ledger_.name(here))});
      if (start.loss != Loss::idle) {
        Nanoseconds rest = whole;
        for (const std::size_t child : children) {
          rest -= ledger_.loss(child, start.loss);
          if (child != largest && counts(ledger_.loss(child, start.loss))) starts.push_back({child, start.loss});
        }
        if (counts(rest)) {
          walk.steps.push_back(
              {"rest", here, std::string(key_of(start.loss)), rest, whole,
               fmt::format(
                   "{} of the {} in {} is outside nested intervals and is not examined here: mark more intervals",
                   percent_for_people(rest, whole), name_of(start.loss), ledger_.name(here))});
        }
      }
      here = largest;
    }
    // Where idle time has its cause it is not lost: the rules judge the interval in which processes are idle.
    const std::size_t asked = start.loss == Loss::idle ? start.interval : here;
    if (start.loss == Loss::communication) split_communication(asked, walk);
    if (start.loss == Loss::idle || start.loss == Loss::communication)
      mention_hidden_imbalance(asked, start.loss, walk);
    const Nanoseconds amount = ledger_.loss(asked, start.loss);
    ask({ledger_, limits_, asked, start.loss, amount}, walk);
    if (walk.conclusions.empty()) {
      walk.steps.push_back({"no-cause", asked, std::string(key_of(start.loss)), amount, of_program,
                            "no rule finds a cause with enough evidence; mora report --intervals shows the numbers"});
    }
    name_causes(asked, walk);
    advice_.walks.push_back(std::move(walk));
  }

  void spread(std::size_t here, Loss loss, Nanoseconds whole, std::uint32_t last, Walk& walk) {
    std::vector<std::pair<Nanoseconds, std::size_t>> shares;
    for (const std::size_t child : ledger_.children(here)) {
      if (const Nanoseconds amount = share_of(child, loss, last); amount > 0) shares.emplace_back(amount, child);
    }
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text = "no nested interval has most of it:";
    for (std::size_t i = 0; i < std::min<std::size_t>(shares.size(), 3); ++i) {
      text += fmt::format("{} {} {}", i == 0 ? "" : ",", ledger_.name(shares[i].second),
                          percent_for_people(shares[i].first, whole));
    }
    walk.steps.push_back({"spread", here, std::string(key_of(loss)), shares.front().first, whole, std::move(text)});
  }

  void split_communication(std::size_t here, Walk& walk) {
    const Nanoseconds communication = ledger_.loss(here, Loss::communication);
    const Nanoseconds waiting = ledger_.value(here, Characteristic::real_synchronization);
    std::vector<std::pair<Nanoseconds, const char*>> kinds = {
        {ledger_.value(here, Characteristic::point_to_point), "messages"},
        {ledger_.value(here, Characteristic::collective), "collectives"},
        {ledger_.value(here, Characteristic::all_to_all), "all-to-all"},
        {ledger_.value(here, Characteristic::one_sided), "one-sided"},
        {ledger_.value(here, Characteristic::io), "I/O"}};
    std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text =
        fmt::format("waiting is {} of it ({} of the total time); by kind:", percent_for_people(waiting, communication),
                    percent_for_people(waiting, total_));
    bool is_first = true;
    for (const auto& [amount, name] : kinds) {
      if (amount <= 0) continue;
      text += fmt::format("{} {} {}", is_first ? "" : ",", name, percent_for_people(amount, communication));
      is_first = false;
    }
    walk.steps.push_back({"split", here, "real_synchronization", waiting, communication, std::move(text)});
  }

  /// A small idle time is no sign of balance: processes may have waited for each other in MPI before.
  void mention_hidden_imbalance(std::size_t here, Loss loss, Walk& walk) {
    const Nanoseconds idle = ledger_.loss(here, Loss::idle),
                      imbalance = ledger_.value(here, Characteristic::load_imbalance);
    if (loss != Loss::communication || imbalance <= 2 * idle || !counts(imbalance)) return;
    walk.steps.push_back(
        {"imbalance", here, "load_imbalance", imbalance, total_,
         fmt::format("the small idle time ({}) does not mean balance: the load imbalance is {}, {} of the total time, "
                     "hidden in communication",
                     time_for_people(idle), time_for_people(imbalance), percent_for_people(imbalance, total_))});
  }

  /// A conclusion and what it is ordered by: those behind the others last, then by gain, then by weight.
  struct Found {
    bool is_behind;
    Nanoseconds gain;
    double weight;  ///< confidence x explained
    Conclusion conclusion;
  };

  /// Limits the confidence of a conclusion from waiting where records of partners are missing.
  void doubt(Conclusion& conclusion) const {
    const std::vector<std::string> kinds = ledger_.gaps_of_waiting();
    if (kinds.empty()) return;
    conclusion.confidence = std::min(conclusion.confidence, doubtful);
    std::string text;
    for (const std::string& kind : kinds) text += (text.empty() ? "" : ", ") + kind;
    conclusion.evidence.push_back(
        count_fact("waiting_not_known", static_cast<std::int64_t>(kinds.size()),
                   "uncertain: waiting could not be computed everywhere (data quality: " + text + ")"));
  }

  /// Rule 12 is about the rest: it is dropped if another cause already explains most of it.
  void leave_out_told_transfer(std::vector<Found>& found) const {
    Nanoseconds told = 0;
    for (const Found& one : found) {
      if (!one.is_behind) told = std::max(told, one.conclusion.explained);
    }
    std::erase_if(found, [&](const Found& one) {
      const Conclusion& c = one.conclusion;
      return c.number == 12 && ratio(told, c.explained) >= limits_[Threshold::dominant];
    });
  }

  void ask(const Question& question, Walk& walk) {
    std::vector<Found> found;
    for (const Rule* rule : all_rules()) {
      if (std::find(rule->losses.begin(), rule->losses.end(), question.loss) == rule->losses.end()) continue;
      if (!asked_.insert({rule, question.interval, question.loss}).second) continue;
      auto conclusion = rule->judge(question);
      if (!conclusion) continue;
      conclusion->rule = rule->id, conclusion->number = rule->number, conclusion->title = rule->title;
      conclusion->source = rule->source;
      if (conclusion->advice.empty()) conclusion->advice = rule->advice;
      if (question.interval != 0) {  // the program's are caveats
        for (const std::string& note : ledger_.interval(question.interval).notes) {
          conclusion->evidence.push_back(count_fact("note", 0, "about these figures: " + note));
        }
      }
      const double explains =
          question.loss == Loss::figures ? 1 : ratio(conclusion->explained, conclusion->loss_amount);
      const double above =
          conclusion->threshold <= 0 ? 1 : std::min(1.0, conclusion->measure / (2 * conclusion->threshold));
      conclusion->confidence = explains * above;
      if (question.loss == Loss::communication && !rule->is_without_waiting) doubt(*conclusion);
      const bool is_behind = rule->is_general || conclusion->confidence < medium;
      const double weight = conclusion->confidence * static_cast<double>(conclusion->explained);
      found.push_back({is_behind, conclusion->gain, weight, std::move(*conclusion)});
    }
    leave_out_told_transfer(found);
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
      return std::tuple(a.is_behind, -a.gain, -a.weight) < std::tuple(b.is_behind, -b.gain, -b.weight);
    });
    for (Found& one : found) {
      walk.conclusions.push_back(advice_.conclusions.size());
      advice_.conclusions.push_back(std::move(one.conclusion));
    }
  }

  void name_causes(std::size_t here, Walk& walk) {
    for (const std::size_t index : walk.conclusions) {
      const Conclusion& c = advice_.conclusions[index];
      walk.steps.push_back(
          {"cause", here, c.rule, c.explained, c.loss_amount,
           fmt::format("{} ({}, confidence {} {:.2f})", c.what, c.rule, confidence_word(c.confidence), c.confidence)});
    }
  }

  Ledger ledger_;
  const Thresholds& limits_;
  Advice& advice_;
  const Nanoseconds total_;
  std::set<std::tuple<const Rule*, std::size_t, Loss>> asked_;
};

std::vector<std::string> caveats(const Input& input) {
  std::vector<std::string> told;
  if (input.one_process == nullptr && input.table.intervals.front().processes.size() > 1) {
    told.emplace_back(
        "Lost time and efficiency are computed from a predicted one-process time. The real one may be longer (more "
        "data than its cache holds) or shorter (overhead that counts as computation). To check, record a run with one "
        "process and give it with --one-process EXP1.");
  }
  if (!input.left_out.empty()) told.push_back("Left out: " + input.left_out + ".");
  const analysis::Interval& program = input.table.intervals.front();
  for (const std::string& note : program.notes) told.push_back("The program: " + note + ".");
  if (input.table.has_threads)
    told.emplace_back(
        "Only the first thread of each process is examined here; mora report shows the waits of the others.");
  std::size_t losses_of_data = 0;
  for (const QualityRow& row : input.data.quality) losses_of_data += row.severity == Severity::info ? 0 : 1;
  if (losses_of_data > 0) {
    told.push_back(fmt::format("The data quality has {} warning{} or loss{}: see mora report.", losses_of_data,
                               losses_of_data == 1 ? "" : "s", losses_of_data == 1 ? "" : "es"));
  }
  return told;
}

/// Intervals that are less efficient than the threshold although the program is not: their imbalances compensate.
std::string compensating_parts(const Input& input, const Ledger& ledger, const Thresholds& limits) {
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 1; i < input.table.intervals.size(); ++i) {
    if (input.table.intervals[i].efficiency() >= limits[Threshold::efficiency]) continue;
    if (ratio(ledger.value(i, Characteristic::total_time), ledger.value(0, Characteristic::total_time)) <
        limits[Threshold::loss])
      continue;
    if (++shown <= 3)
      text += fmt::format("{} {} {:.4f}", shown == 1 ? "" : ",", ledger.name(i), input.table.intervals[i].efficiency());
  }
  if (shown == 0) return "";
  return fmt::format(" Some intervals are less efficient; their imbalances cancel out over the program:{}{}.", text,
                     shown > 3 ? fmt::format(" and {} more", shown - 3) : "");
}

}  // namespace

Advice advise(const Input& input, const Thresholds& thresholds) {
  Advice advice;
  advice.thresholds = thresholds;
  advice.table = &input.table;
  advice.rules = analysis::names(input.table.rules);
  advice.program = input.data.run.program;
  if (input.table.intervals.empty() || input.table.intervals.front().processes.empty()) {
    advice.nothing_to_gain = true;
    advice.verdict = "Nothing was recorded, so there is nothing to advise.";
    return advice;
  }
  const Ledger ledger(input);
  const analysis::Interval& program = input.table.intervals.front();
  if (advice.program.empty()) advice.program = program.name;
  advice.processes = static_cast<std::uint32_t>(program.processes.size());
  advice.execution = program.value(Characteristic::execution_time);
  advice.total = program.value(Characteristic::total_time);
  advice.productive = program.value(Characteristic::productive_time);
  advice.lost = program.value(Characteristic::lost_time);
  advice.efficiency = program.efficiency();
  advice.caveats = caveats(input);
  for (const Loss loss : {Loss::insufficient_parallelism, Loss::system, Loss::communication, Loss::device, Loss::idle,
                          Loss::measurement}) {
    if (const Nanoseconds amount = ledger.loss(0, loss); amount != 0) advice.split.emplace_back(loss, amount);
  }
  std::stable_sort(advice.split.begin(), advice.split.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });

  Method method(input, thresholds, advice);
  const std::string missing = missing_sentence(input.data.quality);
  // Calls that were not recorded look like computation.
  const std::string efficiency = fmt::format("{}{:.4f}", missing.empty() ? "" : "at most ", advice.efficiency);
  advice.enough_time = input.enough_time;
  advice.is_time_enough = input.enough_time && advice.execution <= *input.enough_time;
  if (advice.is_time_enough) {  // DVM analyser, 4.3: if the goal is a run time, a good one ends the analysis
    advice.nothing_to_gain = true;
    advice.verdict =
        fmt::format(
            "Nothing to do: the run takes {}, and {} is short enough (--enough-time). Its efficiency is {}: {} of {} "
            "processor time is lost.",
            bound_for_people(advice.execution), time_for_people(*input.enough_time), efficiency,
            time_for_people(advice.lost), time_for_people(advice.total)) +
        missing;
    return advice;
  }
  advice.nothing_to_gain = advice.efficiency >= thresholds[Threshold::efficiency];
  if (!advice.nothing_to_gain) method.walk_all();
  const std::size_t causes = advice.conclusions.size();
  const bool is_no_part_large = !advice.nothing_to_gain && advice.walks.empty();
  method.ask_of_figures();

  std::string cause = main_cause(input.data);
  if (!cause.empty()) cause += " ";
  if (advice.nothing_to_gain) {
    advice.verdict = fmt::format(
        "Nothing to gain here: the efficiency is {} (threshold {:.4g}). {} of {} processor time is lost; without "
        "this loss the run would be at most {} shorter.{}",
        efficiency, thresholds[Threshold::efficiency], time_for_people(advice.lost), time_for_people(advice.total),
        bound_for_people(ceil_share(advice.lost, advice.processes)), compensating_parts(input, ledger, thresholds));
  } else if (is_no_part_large) {
    advice.verdict = fmt::format(
        "Efficiency {}. {}{} of {} processor time is lost, but no part of it is as large as {:.4g} of the total "
        "time (threshold loss), so no rule was tried.",
        efficiency, cause, time_for_people(advice.lost), time_for_people(advice.total), thresholds[Threshold::loss]);
  } else if (causes == 0) {
    advice.verdict = fmt::format("Efficiency {}. {}No rule found a cause with enough evidence.", efficiency, cause);
  } else {
    advice.verdict = fmt::format("Efficiency {}. {}The method finds", efficiency, cause);
    std::size_t shown = 0;
    for (const Walk& walk : advice.walks) {
      if (walk.conclusions.empty() || walk.loss == Loss::figures || shown == 3) continue;
      const Conclusion& first = advice.conclusions[walk.conclusions.front()];
      advice.verdict += fmt::format("{} for {} ({}): {}", shown == 0 ? "" : ";", name_of(first.loss),
                                    percent_for_people(first.loss_amount, advice.total), first.what);
      ++shown;
    }
    advice.verdict += ".";
  }
  if (input.enough_time) {
    advice.verdict += fmt::format(" The run takes {}, more than the {} of --enough-time.",
                                  bound_for_people(advice.execution), time_for_people(*input.enough_time));
  }
  advice.verdict += missing;
  return advice;
}

}  // namespace mora::report::advice
