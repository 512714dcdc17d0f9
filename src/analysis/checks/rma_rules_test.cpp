#include <gtest/gtest.h>

#include "analysis/checks/conflicts.h"
#include "support/analysis/broken_rules.h"
#include "trace/memory_source.h"

namespace mora::analysis {
namespace {

using test::broken;
using test::told;

TEST(RmaRules, CorrectProgramsBreakNone) {
  EXPECT_EQ(
      broken("P0 0-1 MPI_Win_fence w0 assert noprecede; 2-3 MPI_Put w0 to 1; 4-5 MPI_Win_fence w0 assert nosucceed\n"
             "P1 0-1 MPI_Win_fence w0 assert noprecede; 4-5 MPI_Win_fence w0 assert nosucceed\n"),
      "");
  EXPECT_EQ(
      broken("P0 0-1 MPI_Win_post w0 group 1; 6-7 MPI_Win_wait w0; 8-9 MPI_Win_lock w0 to 0; 9-10 MPI_Win_unlock w0 to "
             "0; 20-21 MPI_Win_free w0\n"
             "P1 0-2 MPI_Win_start w0 group 0; 3-4 MPI_Put w0 to 0; 5-6 MPI_Win_complete w0; 20-21 MPI_Win_free w0\n"),
      "");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_fence w0; 2-3 MPI_Win_fence w0; 4-5 MPI_Win_lock_all w0; 6-7 MPI_Fetch_and_op w0 to "
                   "1; 8-9 MPI_Rget w0 to 1 req a\n"
                   "P0 9-10 MPI_Wait req a; 11-12 MPI_Win_flush_all w0; 13-14 MPI_Win_unlock_all w0\n"
                   "P1 0-1 MPI_Win_fence w0; 2-3 MPI_Win_fence w0\n"),
            "");
}

TEST(RmaRules, AccessesNeedAnEpochThatHoldsTheirTarget) {
  EXPECT_EQ(broken("P0 0-1 MPI_Put w0 to 1; 2-3 MPI_Put w0 to 1\nP1 0-1 main\n"),
            "access-outside-epoch P0>1 MPI_Put 0-1 x2");
  EXPECT_EQ(
      broken(
          "P0 0-1 MPI_Win_lock w0 to 1; 2-3 MPI_Get w0 to 2; 4-5 MPI_Win_unlock w0 to 1\nP1 0-1 main\nP2 0-1 main\n"),
      "access-outside-epoch P0>2 MPI_Get 2-3 x1");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_start w0 group 1; 2-3 MPI_Get w0 to 2; 4-5 MPI_Win_complete w0\n"
                   "P1 0-1 MPI_Win_post w0 group 0; 4-5 MPI_Win_wait w0\nP2 0-1 main\n"),
            "access-outside-group P0>2 MPI_Get 2-3 x1");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_fence w0; 2-3 MPI_Rput w0 to 1 req a; 4-5 MPI_Wait req a; 6-7 MPI_Win_fence w0\n"
                   "P1 0-1 MPI_Win_fence w0; 6-7 MPI_Win_fence w0\n"),
            "request-outside-lock P0>1 MPI_Rput 2-3 x1");
}

TEST(RmaRules, AccessAndExposureEpochsArePairs) {
  EXPECT_EQ(broken("P0 0-1 MPI_Win_start w0 group 1; 2-3 MPI_Win_complete w0; 4-5 MPI_Win_start w0 group 1; 6-7 "
                   "MPI_Win_complete w0\n"
                   "P1 0-1 MPI_Win_post w0 group 0; 4-5 MPI_Win_wait w0\n"),
            "access-without-exposure P0>1 MPI_Win_start 4-5 x1");
  EXPECT_EQ(broken("P0 0-1 main\nP1 0-1 MPI_Win_post w0 group 0; 4-5 MPI_Win_wait w0\n"),
            "exposure-without-access P1>0 MPI_Win_post 0-1 x1");
}

TEST(RmaRules, OnlyOneAccessEpochMayRunAhead) {  // Hermanns 2004, 3.4.1: weak synchronisation
  const std::string target =
      "P1 5-6 MPI_Win_post w0 group 0; 7-8 MPI_Win_wait w0; 9-10 MPI_Win_post w0 group 0; 11-12 MPI_Win_wait w0\n";
  EXPECT_EQ(broken("P0 0-1 MPI_Win_start w0 group 1; 1-2 MPI_Win_complete w0; 3-4 MPI_Win_start w0 group 1; 4-5 "
                   "MPI_Win_complete w0\n" +
                   target),
            "");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_start w0 group 1; 1-2 MPI_Win_complete w0; 2-3 MPI_Win_start w0 group 1; 3-4 "
                   "MPI_Win_complete w0\n" +
                   target),
            "access-epochs-ahead P0>1 MPI_Win_complete 3-4 x1 & MPI_Win_post 5");
}

TEST(RmaRules, EpochsOfDifferentKindsDoNotMix) {
  EXPECT_EQ(broken("P0 0-1 MPI_Win_start w0 group 1; 2-3 MPI_Win_lock w0 to 1; 4-5 MPI_Win_unlock w0 to 1; 6-7 "
                   "MPI_Win_complete w0\n"
                   "P1 0-1 MPI_Win_post w0 group 0; 4-5 MPI_Win_wait w0\n"),
            "mixed-epochs P0>1 MPI_Win_lock 2-3 x1");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_fence w0; 2-3 MPI_Put w0 to 1; 4-5 MPI_Win_lock w0 to 1; 6-7 MPI_Win_unlock w0 to "
                   "1; 8-9 MPI_Win_fence w0\n"
                   "P1 0-1 MPI_Win_fence w0; 8-9 MPI_Win_fence w0\n"),
            "mixed-epochs P0>1 MPI_Win_lock 4-5 x1");
  EXPECT_EQ(
      broken(
          "P0 0-1 MPI_Win_lock w0 to 1; 2-3 MPI_Win_fence w0; 4-5 MPI_Win_unlock w0 to 1\nP1 2-3 MPI_Win_fence w0\n"),
      "mixed-epochs P0 MPI_Win_fence 2-3 x1");
}

TEST(RmaRules, EpochsAreOpenedAndClosedInTurn) {
  EXPECT_EQ(broken("P0 0 ENTER MPI_Win_complete; 1 MPIWEXIT w0 group 1\nP1 0 ENTER MPI_Win_wait; 1 MPIWEXIT w0 "
                   "group 0 synex 1\n"),
            "complete-without-start P0 MPI_Win_complete 0-1 x1; wait-without-post P1 MPI_Win_wait 0-1 x1");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_unlock w0 to 1; 2-3 MPI_Win_flush w0 to 1; 4-5 MPI_Win_lock w0 to 1; 6-7 "
                   "MPI_Win_lock w0 to 1; 8-9 MPI_Win_unlock w0 to 1\nP1 0-1 main\n"),
            "unlock-without-lock P0>1 MPI_Win_unlock 0-1 x1; flush-without-lock P0>1 MPI_Win_flush 2-3 x1; "
            "double-lock P0>1 MPI_Win_lock 6-7 x1");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_lock w0 to 1; 2-3 MPI_Win_lock_all w0; 4-5 MPI_Win_unlock_all w0; 6-7 "
                   "MPI_Win_unlock w0 to 1\nP1 0-1 main\n"),
            "double-lock P0 MPI_Win_lock_all 2-3 x1");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_post w0 group 1; 2-3 MPI_Win_post w0 group 1; 4-5 MPI_Win_wait w0\n"
                   "P1 0-1 MPI_Win_start w0 group 0; 2-3 MPI_Win_complete w0; 3-4 MPI_Win_start w0 group 0; 4-5 "
                   "MPI_Win_complete w0\n"),
            "double-post P0 MPI_Win_post 2-3 x1");
}

TEST(RmaRules, AnEpochWithoutABeginningTakesItsNumber) {
  EXPECT_EQ(broken("P0 0-1 MPI_Win_post w0 group 1; 2-3 MPI_Win_wait w0; 4-5 MPI_Win_post w0 group 1 assert noput; 6-7 "
                   "MPI_Win_wait w0\nP1 0 ENTER MPI_Win_complete; 3 MPIWEXIT w0 group 0 synex 1; 4-5 MPI_Win_start w0 "
                   "group 0; 5-6 MPI_Put w0 to 0; 6-7 MPI_Win_complete w0\n"),
            "complete-without-start P1 MPI_Win_complete 0-3 x1; noput-but-put P1>0 MPI_Put 5-6 x1 & MPI_Win_post 4");
  EXPECT_EQ(broken("P0 0 ENTER MPI_Win_wait; 3 MPIWEXIT w0 group 1 synex 1; 4-5 MPI_Win_post w0 group 1; 6-7 "
                   "MPI_Win_wait w0\nP1 0-1 MPI_Win_start w0 group 0; 1-2 MPI_Win_complete w0; 2-3 MPI_Win_start w0 "
                   "group 0; 3-4 MPI_Win_complete w0\n"),
            "wait-without-post P0 MPI_Win_wait 0-3 x1");
}

TEST(RmaRules, EpochsAreClosedInTheEnd) {
  EXPECT_EQ(broken("P0 0-1 MPI_Win_lock w0 to 1; 2-3 MPI_Put w0 to 1\nP1 0-1 main\n"),
            "unclosed-epoch P0>1 MPI_Win_lock 0-1 x1");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_fence w0; 2-3 MPI_Put w0 to 1\nP1 0-1 MPI_Win_fence w0\n"),
            "unclosed-epoch P0 MPI_Put 2-3 x1");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_lock w0 to 1; 5-6 MPI_Win_free w0\nP1 5-6 MPI_Win_free w0\n"),
            "freed-with-open-epoch P0>1 MPI_Win_free 5-6 x1");
}

TEST(RmaRules, AssertionsAreTrue) {
  EXPECT_EQ(broken("P0 0-1 MPI_Win_fence w0; 2-3 MPI_Put w0 to 1; 4-5 MPI_Win_fence w0 assert noprecede\n"
                   "P1 0-1 MPI_Win_fence w0; 4-5 MPI_Win_fence w0 assert noprecede\n"),
            "noprecede-but-accessed P0 MPI_Win_fence 4-5 x1");
  EXPECT_EQ(
      broken(
          "P0 0-1 MPI_Win_fence w0 assert nosucceed; 2-3 MPI_Get w0 to 1\nP1 0-1 MPI_Win_fence w0 assert nosucceed\n"),
      "nosucceed-but-accessed P0>1 MPI_Get 2-3 x1");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_fence w0; 2-3 MPI_Get w0 to 1; 4-5 MPI_Accumulate w0 to 1; 6-7 MPI_Win_fence w0\n"
                   "P1 0-1 MPI_Win_fence w0 assert noput; 6-7 MPI_Win_fence w0\n"),
            "noput-but-put P0>1 MPI_Accumulate 4-5 x1 & MPI_Win_fence 0");
  EXPECT_EQ(broken("P0 0-1 MPI_Win_start w0 group 1; 2-3 MPI_Put w0 to 1; 4-5 MPI_Win_complete w0\n"
                   "P1 0-1 MPI_Win_post w0 group 0 assert noput; 4-5 MPI_Win_wait w0\n"),
            "noput-but-put P0>1 MPI_Put 2-3 x1 & MPI_Win_post 0");
}

TEST(RmaRules, NothingIsClaimedAfterAGap) {
  const std::string gap = "P0 0-1 MPI_Win_start w0 group 1; 2 RECORDING_OFF; 3 RECORDING_ON; 4-5 MPI_Put w0 to 1\n";
  EXPECT_EQ(
      broken(gap +
             "P1 0-1 MPI_Win_post w0 group 0; 4-5 MPI_Win_wait w0; 6-7 MPI_Win_post w0 group 0; 7-8 MPI_Win_wait w0\n"),
      "");
  EXPECT_EQ(analyse_text(gap + "P1 0-1 main\n").quality("rma-rules-unchecked"), 1U);
}

TEST(RmaRules, SeveralThreadsAreNotJudged) {
  EXPECT_EQ(broken("P0 0-1 MPI_Win_lock w0 to 1; 8-9 MPI_Win_unlock w0 to 1\nP0.1 2-3 MPI_Put w0 to 1\nP1 0-1 main\n"),
            "");
}

TEST(RmaRules, EveryRuleHasItsTexts) {
  for (const RmaRuleInfo& rule : rma_rule_texts) {
    EXPECT_FALSE(rule.id.empty() || rule.name.empty() || rule.what.empty() || rule.advice.empty() ||
                 rule.source.empty());
    EXPECT_EQ(rule.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos);
  }
}

TEST(TransferMatrix, OriginTargetKind) {
  const Analysed a = analyse_text(
      "P0 0-1 MPI_Win_fence w0; 2-3 MPI_Put w0 to 1 bytes 80; 4-5 MPI_Put w0 to 1 bytes 20; 5-6 MPI_Get w0 to 1 bytes "
      "40; 6-7 MPI_Win_fence w0\n"
      "P1 0-1 MPI_Win_fence w0; 2-3 MPI_Fetch_and_op w0 to 0 bytes 8; 4-5 MPI_Accumulate w0 to 1 bytes 3; 6-7 "
      "MPI_Win_fence w0\n");
  std::string text;
  for (const TransferCell& c : a.result.transfers) {
    text += std::to_string(c.origin) + ">" + std::to_string(c.target) + " " +
            std::string(transfer_names[static_cast<std::size_t>(c.kind)]) + " " + std::to_string(c.operations) + " " +
            std::to_string(c.bytes) + "; ";
  }
  EXPECT_EQ(text, "0>1 put 2 100; 0>1 get 1 40; 1>0 atomic 1 16; 1>1 put 1 3; ");
}

// ---- ranges ----------------------------------------------------------------------------------------------

/// Gives the k-th transfer of each location its range.
std::string broken_ranges(const std::string& body,
                          const std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>>& ranges) {
  auto source = trace::read_trace_text("mora-trace 1\n" + body);
  if (!source) return source.error().text();
  trace::MemorySource filled;
  filled.defs = (*source)->definitions();
  struct Keep : trace::EventSink {
    std::vector<trace::Event> events;
    void on_event(const trace::Event& event) override { events.push_back(event); }
  };
  for (trace::LocationId l = 0; l < filled.defs.locations.size(); ++l) {
    Keep keep;
    EXPECT_TRUE((*source)->read_location(l, keep));
    std::size_t k = 0;
    for (trace::Event& e : keep.events) {
      if (e.kind != trace::EventKind::put && e.kind != trace::EventKind::get && e.kind != trace::EventKind::atomic)
        continue;
      e.target_offset = ranges.at(l).at(k).first;
      e.target_extent = ranges.at(l).at(k++).second;
    }
    filled.events.push_back(keep.events);
  }
  std::string one;
  for (const unsigned partitions : {1U, 2U, 3U}) {
    AnalyzeOptions options;
    options.workers = 1;
    options.partitions = partitions;
    const auto result = analyze(filled, "memory", options);
    EXPECT_TRUE(result.has_value());
    if (partitions == 1) one = told(*result);
    EXPECT_EQ(told(*result), one);
  }
  return one;
}

TEST(Conflicts, OverlapsWithinOneFenceEpoch) {
  const std::string body =
      "P0 0-1 MPI_Win_fence w0; 2-3 MPI_Put w0 to 2; 9-10 MPI_Win_fence w0\n"
      "P1 0-1 MPI_Win_fence w0; 4-5 MPI_Put w0 to 2; 9-10 MPI_Win_fence w0; 11-12 MPI_Put w0 to 2; 13-14 MPI_Win_fence "
      "w0\n"
      "P2 0-1 MPI_Win_fence w0; 9-10 MPI_Win_fence w0; 13-14 MPI_Win_fence w0\n";
  EXPECT_EQ(broken_ranges(body, {{{0, 8}}, {{8, 8}, {0, 8}}, {}}), "");
  EXPECT_EQ(broken_ranges(body, {{{1, 8}}, {{8, 8}, {0, 8}}, {}}),
            "conflicting-access P1>0 MPI_Put 4-5 x1 & MPI_Put 2");
  EXPECT_EQ(broken_ranges(body, {{{1, 80}}, {{8, 8}, {0, 8}}, {}}), "");  // 8 bytes somewhere in 80: it has holes
}

TEST(Conflicts, AccumulatesMayOverlapPutsAndGetsMayNot) {
  const auto pair = [](const std::string& first, const std::string& second) {
    return broken_ranges("P0 0-1 MPI_Win_fence w0; 2-3 " + first + " w0 to 1; 4-5 " + second +
                             " w0 to 1; 9-10 MPI_Win_fence w0\nP1 0-1 MPI_Win_fence w0; 9-10 MPI_Win_fence w0\n",
                         {{{0, 8}, {4, 8}}, {}});
  };
  EXPECT_EQ(pair("MPI_Accumulate", "MPI_Fetch_and_op"), "");
  EXPECT_EQ(pair("MPI_Get", "MPI_Get"), "");
  EXPECT_EQ(pair("MPI_Put", "MPI_Put"), "conflicting-access P0>0 MPI_Put 4-5 x1 & MPI_Put 2");
  EXPECT_EQ(pair("MPI_Get", "MPI_Put"), "conflicting-access P0>0 MPI_Put 4-5 x1 & MPI_Get 2");
  EXPECT_EQ(pair("MPI_Accumulate", "MPI_Get"), "conflicting-access P0>0 MPI_Get 4-5 x1 & MPI_Accumulate 2");
}

TEST(Conflicts, AFlushOrdersOneOrigin) {
  const auto with = [](const std::string& between) {
    return broken_ranges("P0 0-1 MPI_Win_lock w0 to 1; 2-3 MPI_Put w0 to 1; " + between +
                             "6-7 MPI_Put w0 to 1; 9-10 MPI_Win_unlock w0 to 1\nP1 0-1 main\n",
                         {{{0, 8}, {0, 8}}, {}});
  };
  EXPECT_EQ(with("4-5 MPI_Win_flush w0 to 1; "), "");
  EXPECT_EQ(with("4-5 MPI_Win_flush_local w0 to 1; "), "conflicting-access P0>0 MPI_Put 6-7 x1 & MPI_Put 2");
}

TEST(Conflicts, WhatWasFetchedIsThere) {
  const auto with = [](const std::string& first, const std::string& between) {
    return broken_ranges("P0 0-1 MPI_Win_lock w0 to 1; 2-3 " + first + " w0 to 1" +
                             (first.starts_with("MPI_R") ? " req a; " : "; ") + between +
                             "6-7 MPI_Put w0 to 1; 9-10 MPI_Win_unlock w0 to 1\nP1 0-1 main\n",
                         {{{0, 8}, {0, 8}}, {}});
  };
  for (const std::string get : {"MPI_Rget", "MPI_Rget_accumulate"}) {
    EXPECT_EQ(with(get, "4-5 MPI_Wait req a; "), "") << get;
    EXPECT_EQ(with(get, ""), "conflicting-access P0>0 MPI_Put 6-7 x1 & " + get + " 2");
  }
  for (const std::string get : {"MPI_Get", "MPI_Get_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"}) {
    EXPECT_EQ(with(get, "4-5 MPI_Win_flush_local w0 to 1; "), "") << get;
    EXPECT_EQ(with(get, "4-5 MPI_Win_flush_local_all w0; "), "") << get;
    EXPECT_EQ(with(get, ""), "conflicting-access P0>0 MPI_Put 6-7 x1 & " + get + " 2");
  }
  // What was put is not there when its buffer is free.
  EXPECT_EQ(with("MPI_Rput", "4-5 MPI_Wait req a; "), "conflicting-access P0>0 MPI_Put 6-7 x1 & MPI_Rput 2");
}

TEST(Conflicts, ARankMayPutWhereAnotherHasFetched) {
  const auto with = [](const std::string& wait) {
    return broken_ranges("P0 0-1 MPI_Win_lock_all w0; 2-3 MPI_Rget w0 to 2 req a; " + wait +
                             "6-7 MPI_Send to 1; 20-21 MPI_Win_unlock_all w0\n"
                             "P1 0-1 MPI_Win_lock_all w0; 2-8 MPI_Recv from 0; 9-10 MPI_Put w0 to 2; 20-21 "
                             "MPI_Win_unlock_all w0\nP2 0-1 main\n",
                         {{{0, 8}}, {{0, 8}}, {}});
  };
  EXPECT_EQ(with("4-5 MPI_Wait req a; "), "");
  EXPECT_EQ(with(""), "conflicting-access P1>0 MPI_Put 9-10 x1 & MPI_Rget 2");
}

TEST(Conflicts, SharedLocksAtOneTimeExclusiveOnesNever) {
  const auto with = [](const std::string& kind) {
    return broken_ranges("P0 0-1 MPI_Win_lock w0 to 2 " + kind +
                             "; 2-3 MPI_Put w0 to 2; 9-10 MPI_Win_unlock w0 to 2\n"
                             "P1 0-1 MPI_Win_lock w0 to 2 " +
                             kind + "; 4-5 MPI_Put w0 to 2; 9-10 MPI_Win_unlock w0 to 2\nP2 0-1 main\n",
                         {{{0, 8}}, {{0, 8}}, {}});
  };
  EXPECT_EQ(with("exclusive"), "");
  EXPECT_EQ(with("shared"), "conflicting-access P1>0 MPI_Put 4-5 x1 & MPI_Put 2");
}

TEST(Conflicts,
     AccessEpochsMeetInTheExposureEpoch) {  // P1's first access epoch to P2 and P0's second are one exposure epoch
  const std::string body =
      "P0 0-1 MPI_Win_start w0 group 2; 2-3 MPI_Put w0 to 2; 4-5 MPI_Win_complete w0; 6-7 MPI_Win_start w0 group 2; "
      "8-9 MPI_Put w0 to 2; 10-11 MPI_Win_complete w0\n"
      "P1 6-7 MPI_Win_start w0 group 2; 8-9 MPI_Put w0 to 2; 10-11 MPI_Win_complete w0\n"
      "P2 0-1 MPI_Win_post w0 group 0; 5-6 MPI_Win_wait w0; 6-7 MPI_Win_post w0 group 0,1; 11-12 MPI_Win_wait w0\n";
  EXPECT_EQ(broken_ranges(body, {{{0, 8}, {8, 8}}, {{0, 8}}, {}}), "");
  EXPECT_EQ(broken_ranges(body, {{{0, 8}, {8, 8}}, {{8, 8}}, {}}),
            "conflicting-access P1>0 MPI_Put 8-9 x1 & MPI_Put 8");
}

}  // namespace
}  // namespace mora::analysis
