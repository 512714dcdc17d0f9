/// The texts of all metrics about causes: two costs for each class of delay, four splits for each group of classes, the
/// critical path. The rules are in causes.h and path_metrics.cpp.
#include <array>
#include <deque>
#include <string>

#include "analysis/causes/cause_metrics.h"
#include "analysis/metrics/families.h"

namespace mora::analysis {

namespace {

struct ClassName {
  const char* id;
  const char* name;
  const char* unique;
  const char* group;
};

/// Index = DelayClass.
constexpr std::array<ClassName, delay_classes> class_names = {{
    {"", "", "", ""},
    {"late-sender", "Late Sender", "latesender", "late-sender"},
    {"late-receiver", "Late Receiver", "latereceiver", "late-receiver"},
    {"barrier", "Barrier", "barrier", "collective"},
    {"n-to-n", "N-to-N", "collective_n2n", "collective"},
    {"one-to-n", "1-to-N", "collective_12n", "collective"},
    {"n-to-one", "N-to-1", "collective_n21", "collective"},
    {"prefix", "Prefix (scan)", "collective_scan", "collective"},
    {"nonblocking", "Non-blocking Collective", "collective_nb", "collective"},
    {"window", "Window Collective", "rma_window", "one-sided"},
    {"active-target", "Active Target", "rma_active", "one-sided"},
    {"passive-target", "Passive Target", "rma_passive", "one-sided"},
    {"threads", "Threads", "threads", "other"},
    {"io", "File I/O", "io", "other"},
    {"start-and-end", "Start and End of MPI", "start_and_end", "collective"},
}};

struct GroupName {
  const char* id;
  const char* name;
};
constexpr std::array<GroupName, 5> groups = {{{"late-sender", "Late Sender"},
                                              {"late-receiver", "Late Receiver"},
                                              {"collective", "Collective"},
                                              {"one-sided", "One-sided"},
                                              {"other", "Threads and I/O"}}};

struct SplitName {
  const char* id;
  const char* name;
  const char* parent;
  const char* summary;
  const char* formula;
};
constexpr std::array<SplitName, 4> splits = {
    {{"direct-waits", "Direct Waits", "waits-by-origin", "Waiting caused by what the other side computed.",
      "w - its indirect part"},
     {"indirect-waits", "Indirect Waits", "waits-by-origin",
      "Waiting caused by the other side's own waiting, and so by somebody further away.",
      "the part of w that falls on W when w is shared out over d(c) and W (see delay-costs-late-sender-short-term); "
      "all of W if contradictory clocks make D + W < w"},
     {"propagating-waits", "Propagating Waits", "waits-by-effect", "Waiting that makes others wait later.",
      "w × the largest min(w', D' + W') / (D' + W') over the later waits w' of others in whose stretch since the last "
      "synchronisation point it lies (see delay-costs-late-sender-long-term), rounded down"},
     {"terminal-waits", "Terminal Waits", "waits-by-effect", "Waiting that makes no other rank wait later.",
      "w - its propagating part"}}};

constexpr const char* source = "Böhme 2016; Scalasca 2.6, Delay Costs; Mora's rule delay-costs";
constexpr const char* origin_source =
    "Böhme 2016; Scalasca 2.6, MPI Point-to-point Wait State Classification: Direct vs. Indirect; Mora's rule "
    "delay-costs";
constexpr const char* effect_source =
    "Böhme 2016; Scalasca 2.6, MPI Point-to-point Wait State Classification: Propagating vs. Terminal; Mora's rule "
    "delay-costs";

/// Keeps a text that is put together here until the program ends. Only texts() calls it, which runs once.
std::string_view keep(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

const MetricInfo& add(std::deque<MetricInfo>& all, std::string_view id, std::string_view name, std::string_view unique,
                      std::string_view parent, std::string_view summary, std::string_view formula,
                      std::string_view from, std::string_view diagnosis, std::string_view advice) {
  return all.emplace_back(MetricInfo{id, name, unique, parent, cube::Unit::seconds, false, summary, formula, from,
                                     diagnosis, advice, DelayClass::none});
}

void add_delay_costs(std::deque<MetricInfo>& all) {
  add(all, "delay-costs", "Delay Costs", "mora_delay_costs", "",
      "Waiting of others that a call path is responsible for, charged to the call path and location that delayed.",
      "sum over all waits w that the location caused of short-term and long-term cost; see mora explain "
      "delay-costs-late-sender-short-term",
      source, "Start with the call path that has the largest delay costs: if it takes less time, others wait less.",
      "Look at the call path and rank with the largest cost; balance or shorten what it computes.");
  for (std::size_t c = 1; c < delay_classes; ++c) {
    const ClassName& k = class_names[c];
    const std::string id = std::string("delay-costs-") + k.id;
    const std::string unique = std::string("mpi_delay_") + k.unique;
    const std::string_view class_id = keep(id);
    add(all, class_id, keep(std::string(k.name) + " Delay Costs"), keep("mora_delay_" + std::string(k.unique)),
        "delay-costs", keep(std::string("Delay costs of waits of the kind ") + k.name + "."), "short-term + long-term",
        source, "See delay-costs.", "See delay-costs.");
    add(all, keep(id + "-short-term"), keep(std::string(k.name) + ", Short-term"), keep(unique), class_id,
        "Waiting that the delay caused at once, at the next rank that needed something.",
        "For each wait w of location b that location a caused, one stretch of each is compared. Both begin at the last "
        "synchronisation point: the last operation in which both took part and a was not behind b (each from where its "
        "call there began or stopped waiting; without one, from the start of the run). That of a goes to the end of w, "
        "that of b to its begin. t_a(c), t_b(c): their time in call path c there, without waits; d(c) = [t_a(c) - "
        "t_b(c)]+, of stretches of computation cut in proportion to what a took "
        "longer in all those of their function; D = sum of d(c), W = waits of a there. What a could have avoided of W "
        "(late-sender-avoidable) takes what it can of w first; the rest of w is shared out over "
        "all d(c) and W by largest remainder (ties: smaller call path id, W last); if contradictory clocks make D + W "
        "< w, the shares are d(c) and W themselves. The share of d(c) is charged to call path c on a.",
        source, "This call path took longer on this rank than on the rank that waited.",
        "Balance what the call path computes over the ranks, or take work out of the way of the partner.");
    add(all, keep(id + "-long-term"), keep(std::string(k.name) + ", Long-term"), keep(unique + "_longterm"), class_id,
        "Waiting further away that the delay caused through ranks that themselves had to wait.",
        "d(c) × K / (D + W) (see the short-term costs), where K is what later waits of this kind attributed to w: "
        "each later wait w' whose cause is the location of w, and in whose stretch (its W') w lies, attributes (its "
        "indirect part, if w' is of this kind, + K' W' / (D' + W')) × w / W'. Exact to 2^-32 ns; rounded once, by "
        "largest remainder over the call paths and locations. Short-term and long-term costs of a kind are together "
        "the waits of this kind.",
        source, "A delay here reaches ranks further away: it propagates along chains of messages.",
        "Shortening it helps more ranks than its direct partners.");
  }
}

void add_splits(std::deque<MetricInfo>& all) {
  add(all, "waits-by-origin", "Waits by Origin", "mora_waits_by_origin", "",
      "All waits that have a cause, split by whether the cause itself had been waiting.",
      "direct-waits + indirect-waits = sum of the waits that have a cause", origin_source,
      "Much indirect waiting means that few delays explain most waiting: look at delay-costs.", "See delay-costs.");
  add(all, "waits-by-effect", "Waits by Effect", "mora_waits_by_effect", "",
      "All waits that have a cause, split by whether they make others wait.",
      "propagating-waits + terminal-waits = sum of the waits that have a cause", effect_source,
      "Terminal waits only cost the rank itself.", "Remove propagating waits first.");
  for (const SplitName& split : splits) {
    const std::string unique = std::string("mora_") + split.id;
    const char* from = std::string_view(split.parent) == "waits-by-origin" ? origin_source : effect_source;
    add(all, split.id, split.name, keep(unique), split.parent, split.summary, split.formula, from,
        "See delay-costs for the call paths that caused it.", "See delay-costs.");
    for (const GroupName& group : groups) {
      add(all, keep(std::string(split.id) + "-" + group.id), keep(std::string(split.name) + ", " + group.name),
          keep(unique + "_" + group.id), split.id, keep(std::string(split.summary) + " Kind: " + group.name + "."),
          split.formula, from, "See delay-costs for the call paths that caused it.", "See delay-costs.");
    }
  }
}

void add_path(std::deque<MetricInfo>& all) {
  add(all, "critical-path", "Critical Path", "mora_critical_path", "",
      "The chain of activities that determined how long the run took.",
      "Backwards from the end of the location that ends last: the time of the call paths there; at the end of each "
      "wait over to the location that it waited for; to the first event of the run (before its own first event a "
      "location is in the program's root). The waits themselves are not on the path. Its length is the run time.",
      "Böhme 2012; Scalasca 2.6, Critical Path Profile", "Only what is on the path makes the run shorter.",
      "Shorten the call paths with most time on the path.");
  add(all, "critical-path-imbalance", "Critical-path Imbalance", "mora_critical_path_imbalance", "critical-path",
      "How much of the critical path is due to uneven work.",
      "per call path c: [CP(c) - mean over all locations of (time(c) without waits)]+, rounded down, distributed over "
      "the locations as CP(c, l)",
      "Böhme 2012; Scalasca 2.6, Critical-Path Imbalance", "With perfect balance the path would be shorter by this.",
      "Distribute the work of this call path evenly.");
  add(all, "performance-impact", "Performance Impact", "mora_performance_impact", "",
      "All resources of the run: number of locations × length of the critical path.",
      "critical-path-activities + non-critical-path-activities", "Böhme 2012; Scalasca 2.6, Performance Impact",
      "Shows what the processors were used for.", "See the children.");
  add(all, "critical-path-activities", "Critical-path Activities", "mora_performance_impact_criticalpath",
      "performance-impact", "Resources spent on, or wasted because of, what is on the critical path.",
      "activity-impact + critical-imbalance-impact", "Böhme 2012; Scalasca 2.6, Critical-path Activities",
      "The run time depends on these.", "See the children.");
  add(all, "activity-impact", "Activity Impact", "mora_performance_impact_critical_activities",
      "critical-path-activities", "Time of call paths that are on the critical path, up to their time on it.",
      "min(CP(c), time(c, l) without waits)", "Böhme 2012; Scalasca 2.6, Activity Impact",
      "Work that determines the run time.", "Make it faster.");
  add(all, "critical-imbalance-impact", "Critical Imbalance Impact", "mora_performance_impact_criticalpath_imbalance",
      "critical-path-activities", "Resources that were idle because others had more to do on the critical path.",
      "per location l: [CP(c) - time(c, l)]+, scaled to |CP| - sum of time(c, l); summed over l and distributed over "
      "the locations as CP(c, l), largest remainder",
      "Böhme 2012; Scalasca 2.6, Critical Imbalance Impact", "The cost of imbalance in processor time.",
      "Balance the call paths with most of it.");
  add(all, "intra-partition-imbalance", "Intra-partition Imbalance",
      "mora_performance_impact_intra_partition_imbalance", "critical-imbalance-impact",
      "Resources that were idle because locations that execute the same call path had more to do on the critical path.",
      "the part of critical-imbalance-impact from locations with visits to c",
      "Böhme 2012; Scalasca 2.6, Intra-partition Imbalance", "Uneven work among ranks that do the same.",
      "Balance it.");
  add(all, "inter-partition-imbalance", "Inter-partition Imbalance",
      "mora_performance_impact_inter_partition_imbalance", "critical-imbalance-impact",
      "Resources of locations that never execute a call path and were idle because others execute it on the critical "
      "path.",
      "the part of critical-imbalance-impact from locations without visits to c",
      "Böhme 2012; Scalasca 2.6, Inter-partition Imbalance",
      "Uneven division into roles: some ranks wait for work that only others do.",
      "Give the idle ranks a part of it, or use fewer of them.");
  add(all, "non-critical-path-activities", "Non-critical-path Activities", "mora_performance_impact_noncriticalpath",
      "performance-impact", "Time of call paths beyond what they need on the critical path.",
      "time(c, l) without waits - min(CP(c), time(c, l))", "Böhme 2012; Scalasca 2.6, Non-critical-path Activities",
      "Making these faster does not help.", "Leave them; move work here.");
}

const std::deque<MetricInfo>& texts() {
  static const std::deque<MetricInfo> all = [] {
    std::deque<MetricInfo> list;
    add_delay_costs(list);
    add_splits(list);
    add_path(list);
    return list;
  }();
  return all;
}

}  // namespace

std::string_view delay_class_id(DelayClass delay) { return class_names[static_cast<std::size_t>(delay)].id; }

MetricList cause_metrics() {
  MetricList list;
  for (const MetricInfo& info : texts()) list.push_back(&info);
  return list;
}

const CauseIds& cause_ids() {
  static const CauseIds ids = [] {
    CauseIds all;
    static_assert(std::tuple_size_v<decltype(all.split_of)> == splits.size());
    for (std::size_t c = 1; c < delay_classes; ++c) {
      const std::string costs = std::string("delay-costs-") + class_names[c].id;
      all.short_term_of[c] = metric_index(costs + "-short-term");
      all.long_term_of[c] = metric_index(costs + "-long-term");
      for (std::size_t s = 0; s < splits.size(); ++s) {
        all.split_of[s][c] = metric_index(std::string(splits[s].id) + "-" + class_names[c].group);
      }
    }
    return all;
  }();
  return ids;
}

}  // namespace mora::analysis
