#include "trace/intervals/phases.h"

#include <functional>

#include "support/trace/interval_text.h"

namespace mora::trace {
namespace {

using testing::Decorated;

/// Writes a rank's calls one after the other: work of some length, then a call of length 2.
class Rank {
 public:
  explicit Rank(int rank) : who_('P' + std::to_string(rank)) {}
  Rank& call(const std::string& name, const std::string& attributes = "", int work = 10) {
    time_ += work;
    text_ +=
        who_ + ' ' + std::to_string(time_) + '-' + std::to_string(time_ + 2) + ' ' + name + ' ' + attributes + '\n';
    time_ += 2;
    return *this;
  }
  Rank& enter(const std::string& name) {
    text_ += who_ + ' ' + std::to_string(time_) + " ENTER " + name + '\n';
    return *this;
  }
  Rank& leave() {
    text_ += who_ + ' ' + std::to_string(time_) + " EXIT\n";
    return *this;
  }
  Rank& times(int n, const std::function<void(Rank&, int)>& body) {
    for (int i = 0; i < n; ++i) body(*this, i);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string who_, text_;
  int time_ = 0;
};

/// "x.c:20 5": where the phases are and how many; "-": none.
std::string phases(const std::string& body, LocationId location = 0, std::size_t most_visits = 0) {
  const auto trace = testing::read(body);
  PhaseSearch search;
  search.most_visits = most_visits;
  const auto found = find_phases(*trace, search);
  if (!found) return found.error().text();
  const LocationPhases& p = (*found)[location];
  if (p.head == no_id) return "-";
  const Region& head = trace->defs.regions[p.head];
  return head.name + ':' + std::to_string(head.call_site_line) + " x" + std::to_string(p.iterations);
}

/// Begin and end of each phase in the decorated stream: "12-36 36-60 …".
std::string stretches(const std::string& body, LocationId location = 0, Phases which = Phases::unmarked) {
  IntervalOptions options;
  options.phases = which;
  Decorated t(body, options);
  EventCollector collect;
  EXPECT_TRUE(t.source->read_location(location, collect));
  std::string all;
  for (const Event& e : collect.events) {
    if (e.interval == 0) continue;
    all += std::to_string(e.time + t.raw->defs.time_origin) + (e.kind == EventKind::enter ? "-" : " ");
  }
  EXPECT_EQ(testing::damage(*t.source), "");
  return all;
}

const std::string to_1 = "to 1 tag 1", from_1 = "from 1 tag 2";

TEST(Phases, stencil_with_an_inner_loop) {
  const auto body = [](Rank& r, int i) {
    r.call("MPI_Isend@x.c:20", "to 1 tag 1 req s").call("MPI_Recv@x.c:21", from_1).call("MPI_Wait@x.c:22", "req s");
    r.times(2 + i % 3, [](Rank& q, int) { q.call("MPI_Send@x.c:25", to_1).call("MPI_Recv@x.c:26", from_1); });
    r.call("MPI_Allreduce@x.c:30");
  };
  Rank r(0);
  r.call("MPI_Init")
      .call("MPI_Bcast@x.c:10", "root 0")
      .times(5, body)
      .call("MPI_Reduce@x.c:40", "root 0")
      .call("MPI_Finalize");
  const std::string text = "ranks 2\n" + r.text();
  EXPECT_EQ(phases(text), "MPI_Isend:20 x5");
  // Begins at 10+12+12 = 34; an iteration is 4 calls and 2 (2 + i % 3) more, 12 each: 96, 120, 144, 96, and the last up
  // to its Allreduce: 34+456 = 490, and 120 - 10 of work before the next Isend.
  EXPECT_EQ(stretches(text), "34-130 130-250 250-394 394-490 490-600 ");
}

TEST(Phases, what_follows_the_loop_is_outside) {
  Rank r(0);
  r.call("MPI_Init").times(4, [](Rank& q, int) { q.call("MPI_Allreduce").call("MPI_Barrier"); });
  r.call("MPI_Reduce", "root 0").call("MPI_Finalize");
  EXPECT_EQ(stretches(r.text()), "22-46 46-70 70-94 94-108 ");  // names of functions only
}

TEST(Phases, ranks_with_different_neighbours_have_one_head) {
  std::string text = "ranks 3\n";
  for (int rank = 0; rank < 3; ++rank) {
    Rank r(rank);
    const std::string left = std::to_string(rank - 1), right = std::to_string(rank + 1);
    r.call("MPI_Init").times(12, [&](Rank& q, int) {
      if (rank > 0) q.call("MPI_Send@x.c:20", "to " + left);
      if (rank < 2) q.call("MPI_Send@x.c:22", "to " + right);
      if (rank > 0) q.call("MPI_Recv@x.c:24", "from " + left);
      if (rank < 2) q.call("MPI_Recv@x.c:26", "from " + right);
      q.call("MPI_Allreduce@x.c:30");
    });
    text += r.call("MPI_Finalize").text();
  }
  // Only the Allreduce is on all; the part before the first is outside. The last iteration ends with what ended the
  // others.
  for (LocationId l = 0; l < 3; ++l) EXPECT_EQ(phases(text, l), "MPI_Allreduce:30 x11") << l;
}

TEST(Phases, are_the_same_if_processes_share_the_search) {
  std::string text = "ranks 4\n";
  for (int rank = 0; rank < 4; ++rank) {
    Rank r(rank);
    const std::string right = std::to_string((rank + 1) % 4), left = std::to_string((rank + 3) % 4);
    r.call("MPI_Init").times(5 + rank % 2, [&](Rank& q, int) {
      q.call("MPI_Send@x.c:20", "to " + right).call("MPI_Recv@x.c:24", "from " + left).call("MPI_Allreduce@x.c:30");
    });
    text += r.call("MPI_Finalize").text();
  }
  const auto trace = testing::read(text);
  const auto alone = find_phases(*trace);
  ASSERT_TRUE(alone);
  std::vector<std::string> bytes;
  std::vector<PhaseSearch> searches(2);
  for (std::size_t process = 0; process < 2; ++process) {
    searches[process].is_mine = {process == 0, process == 0, process == 1, process == 1};
    searches[process].gather = [&](const std::string& own) -> Result<std::vector<std::string>> {
      bytes.push_back(own);
      return std::vector<std::string>{own};
    };
    ASSERT_TRUE(find_phases(*trace, searches[process]));
  }
  ASSERT_EQ(bytes.size(), 2u);
  for (PhaseSearch& search : searches) {
    search.gather = [&](const std::string&) -> Result<std::vector<std::string>> { return bytes; };
    const auto shared = find_phases(*trace, search);
    ASSERT_TRUE(shared);
    for (LocationId l = 0; l < 4; ++l) {
      EXPECT_NE((*shared)[l].head, no_id);
      EXPECT_EQ((*shared)[l].head, (*alone)[l].head);
      EXPECT_EQ((*shared)[l].iterations, (*alone)[l].iterations);
      EXPECT_EQ((*shared)[l].tail_visit, (*alone)[l].tail_visit);
    }
  }
  // One that found marks is enough.
  searches[0].gather = [&](const std::string&) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{bytes[0], std::string(1, '\1')};
  };
  const auto stopped = find_phases(*trace, searches[0]);
  ASSERT_TRUE(stopped);
  EXPECT_EQ((*stopped)[0].head, no_id);
}

TEST(IntervalOptions, AreWords) {
  IntervalOptions options;
  options.phases = Phases::always;
  options.split_iterations = true;
  options.regions = {"solve*", "init"};
  EXPECT_EQ(text_of(options), "phases=always split region=solve* region=init");
  EXPECT_EQ(text_of(interval_options(text_of(options))), text_of(options));
  EXPECT_EQ(text_of(interval_options("news phases=unmarked")), "phases=unmarked");
}

TEST(Phases, a_rare_call_does_not_hide_the_loop) {
  const auto body = [](Rank& q, int i) {
    q.call("MPI_Send@x.c:20", to_1).call("MPI_Recv@x.c:21", from_1);
    if (i % 10 == 9) q.call("MPI_Allreduce@x.c:22");
  };
  // Twice is no repetition. Thirty times: the reductions begin too late to cover as much.
  EXPECT_EQ(phases("ranks 2\n" + Rank(0).times(25, body).text()), "MPI_Send:20 x25");
  EXPECT_EQ(phases("ranks 2\n" + Rank(0).times(30, body).text()), "MPI_Send:20 x30");
}

TEST(Phases, the_outer_loop_goes_first_if_it_repeats) {
  const auto outer = [](Rank& q, int) {
    q.call("MPI_Bcast@x.c:18", "root 0").times(10, [](Rank& p, int) {
      p.call("MPI_Send@x.c:20", to_1).call("MPI_Recv@x.c:21", from_1);
    });
  };
  EXPECT_EQ(phases("ranks 2\n" + Rank(0).times(3, outer).text()), "MPI_Bcast:18 x3");
  EXPECT_EQ(phases("ranks 2\n" + Rank(0).times(2, outer).text()), "MPI_Send:20 x20");
}

TEST(Phases, master_and_workers_have_heads_of_their_own) {
  std::string text = "ranks 3\n";
  Rank master(0);
  master.call("MPI_Init").times(8, [](Rank& q, int i) {
    q.call("MPI_Recv@m.c:10", "from " + std::to_string(1 + i % 2))
        .call("MPI_Send@m.c:12", "to " + std::to_string(1 + i % 2));
  });
  text += master.call("MPI_Finalize").text();
  for (int rank = 1; rank < 3; ++rank) {
    Rank r(rank);
    r.call("MPI_Init").times(4, [](Rank& q, int) {
      q.call("MPI_Send@w.c:30", "to 0").call("MPI_Recv@w.c:31", "from 0");
    });
    text += r.call("MPI_Finalize").text();
  }
  EXPECT_EQ(phases(text, 0), "MPI_Recv:10 x8");
  EXPECT_EQ(phases(text, 1), "MPI_Send:30 x4");
  EXPECT_EQ(phases(text, 2), "MPI_Send:30 x4");
}

TEST(Phases, levels_of_a_cycle_are_told_by_what_they_send) {
  // One exchange for all levels of a multigrid cycle, as in NPB's MG: only the bytes tell where a cycle begins.
  const auto cycle = [](Rank& q, int) {
    for (const int bytes : {64, 16, 4, 1, 4, 16, 64})
      q.call("MPI_Irecv@m.f:10", "from 1 tag 2 req r")
          .call("MPI_Send@m.f:12", to_1 + " bytes " + std::to_string(bytes))
          .call("MPI_Wait@m.f:14", "req r");
  };
  Rank r(0);
  r.call("MPI_Init");
  cycle(r, 0);
  r.call("MPI_Allreduce@m.f:20").times(5, cycle).call("MPI_Allreduce@m.f:20").call("MPI_Finalize");
  EXPECT_EQ(phases("ranks 2\n" + r.text()), "MPI_Irecv:10 x5");
  // Short runs: most of the time is before the loop.
  Rank late(0);
  cycle(late, 0);
  late.call("MPI_Allreduce@m.f:20", "", 5000).times(5, cycle).call("MPI_Allreduce@m.f:20");
  EXPECT_EQ(phases("ranks 2\n" + late.text()), "MPI_Irecv:10 x5");
  // Two amounts in turn are no levels.
  Rank two(0);
  two.times(12, [](Rank& q, int i) { q.call("MPI_Send@m.f:12", to_1 + " bytes " + std::to_string(1 + i % 2)); });
  EXPECT_EQ(phases("ranks 2\n" + two.text()), "MPI_Send:12 x12");
}

TEST(Phases, ranks_that_call_elsewhere_step_equally_often) {
  // As NPB's LU: the ranks of a grid have no call site in common, and some run the calls of the loop before it.
  std::string text = "ranks 2\n";
  for (int rank = 0; rank < 2; ++rank) {
    const std::string line = std::to_string(20 + 10 * rank), other = std::to_string(1 - rank);
    Rank r(rank);
    const auto exchange = [&](Rank& q, int) {
      q.call("MPI_Send@x.f:" + line, "to " + other).call("MPI_Recv@x.f:" + line, "from " + other);
    };
    r.call("MPI_Init");
    if (rank == 0) r.times(2, exchange);
    if (rank == 1) r.call("MPI_Recv@x.f:3", "from 0").call("MPI_Recv@x.f:4", "from 0");
    text += r.times(9, exchange).call("MPI_Finalize").text();
  }
  EXPECT_EQ(phases(text, 0), "MPI_Send:20 x9");
  EXPECT_EQ(phases(text, 1), "MPI_Send:30 x9");
  EXPECT_EQ(stretches(text, 0).substr(0, 6), "70-94 ");  // without the two before: 12 + 2 * 24 + 10
}

TEST(Phases, steps_go_before_an_inner_loop_that_ranks_repeat_equally_often) {
  // LU on more ranks: some have two more exchanges before the loop, and all sweep through as many planes in each step.
  std::string text = "ranks 2\n";
  for (int rank = 0; rank < 2; ++rank) {
    const std::string line = std::to_string(20 + 10 * rank), other = std::to_string(1 - rank);
    Rank r(rank);
    const auto exchange = [&](Rank& q, int) {
      for (const char* place : {"1", "2", "3"})
        q.call("MPI_Send@x.f:" + line + place, "to " + other).call("MPI_Recv@x.f:" + line + place, "from " + other);
    };
    const auto plane = [&](Rank& q, int) {
      q.call("MPI_Send@y.f:" + line, "to " + other, 100).call("MPI_Recv@y.f:" + line, "from " + other);
    };
    r.call("MPI_Init");
    if (rank == 0) r.times(2, exchange);
    text += r.times(9,
                    [&](Rank& q, int i) {
                      exchange(q, i);
                      q.times(20, plane);
                    })
                .call("MPI_Finalize")
                .text();
  }
  EXPECT_EQ(phases(text, 0), "MPI_Send:201 x9");
  EXPECT_EQ(phases(text, 1), "MPI_Send:301 x9");
}

TEST(Phases, of_three_nested_loops_the_outermost) {
  const auto inner = [](Rank& q, int) { q.call("MPI_Send@x.c:30", to_1).call("MPI_Recv@x.c:31", from_1); };
  const auto middle = [&](Rank& q, int i) { q.call("MPI_Allreduce@x.c:20").times(2 + i % 2, inner); };
  const auto outer = [&](Rank& q, int) { q.call("MPI_Bcast@x.c:10", "root 0").times(4, middle); };
  EXPECT_EQ(phases("ranks 2\n" + Rank(0).times(5, outer).text()), "MPI_Bcast:10 x5");
}

TEST(Phases, steps_whose_calls_change_are_one_loop) {
  const auto step = [](Rank& q, int i) {
    q.call("MPI_Allreduce@x.c:10");
    if (i < 4 || i > 15 || i * i % 7 > 2) {
      q.call("MPI_Scan@x.c:20").call("MPI_Barrier@x.c:21");
    } else {
      q.call("MPI_Send@x.c:30", to_1).call("MPI_Recv@x.c:31", from_1);
    }
  };
  EXPECT_EQ(phases("ranks 2\n" + Rank(0).times(20, step).text()), "MPI_Allreduce:10 x20");
}

TEST(Phases, of_two_loops_the_one_with_more_time) {
  for (const std::string barrier_1 : {"MPI_Barrier@x.c:21", "MPI_Barrier"}) {  // the second: one name in both loops
    const std::string barrier_2 = barrier_1 == "MPI_Barrier" ? barrier_1 : "MPI_Barrier@x.c:31";
    Rank r(0);
    r.times(6, [&](Rank& q, int) { q.call("MPI_Scan@x.c:20").call(barrier_1); });
    r.times(6, [&](Rank& q, int) { q.call("MPI_Bcast@x.c:30", "root 0", 30).call(barrier_2); });
    EXPECT_EQ(phases(r.text()), "MPI_Bcast:30 x6") << barrier_1;
  }
}

TEST(Phases, none_without_a_loop) {
  Rank straight(0), twice(0);
  straight.call("MPI_Init")
      .call("MPI_Bcast", "root 0")
      .call("MPI_Send@x.c:1", to_1)
      .call("MPI_Send@x.c:2", to_1)
      .call("MPI_Finalize");
  EXPECT_EQ(phases("ranks 2\n" + straight.text()), "-");
  twice.call("MPI_Init").times(2, [](Rank& q, int) { q.call("MPI_Scan").call("MPI_Allreduce").call("MPI_Barrier"); });
  EXPECT_EQ(phases(twice.call("MPI_Finalize").text()), "-");
  EXPECT_EQ(stretches(twice.text()), "");
  EXPECT_EQ(phases("P0 0-10 main\n"), "-");
  EXPECT_EQ(phases("ranks 2\n"), "-");
}

TEST(Phases, a_short_repetition_is_no_phase_of_the_program) {
  Rank r(0);
  r.times(4, [](Rank& q, int) { q.call("MPI_Bcast@x.c:3", "root 0", 1); });
  EXPECT_EQ(phases(r.call("MPI_Reduce", "root 0", 1000).text()), "-");
}

TEST(Phases, recorded_functions_stay_whole) {
  // main { init; run { 4 x (compute; exchange { Isend, Recv, Wait }) } }: the loop is in run, its iterations begin with
  // compute.
  Rank r(0);
  r.enter("main").enter("init").call("MPI_Bcast", "root 0").leave().enter("run").times(4, [](Rank& q, int) {
    q.enter("compute").call("f").leave();
    q.enter("exchange").call("MPI_Isend", "to 1 req s").call("MPI_Recv", from_1).call("MPI_Wait", "req s").leave();
  });
  const std::string text = "ranks 2\n" + r.leave().leave().text();
  EXPECT_EQ(phases(text), "compute:0 x4");
  EXPECT_EQ(stretches(text), "12-60 60-108 108-156 156-204 ");
}

TEST(Phases, one_name_visited_several_times_per_iteration) {
  Rank r(0);
  r.call("MPI_Init").times(6, [](Rank& q, int) {
    q.call("MPI_Sendrecv", "to 1 from 1")
        .call("MPI_Sendrecv", "to 1 from 1")
        .call("MPI_Allreduce")
        .call("MPI_Allreduce");
  });
  const std::string text = "ranks 2\n" + r.call("MPI_Finalize").text();
  EXPECT_EQ(phases(text), "MPI_Sendrecv:0 x6");
  EXPECT_EQ(stretches(text), "22-70 70-118 118-166 166-214 214-262 262-300 ");
}

TEST(Phases, are_for_unmarked_traces_unless_wanted_always) {
  Rank r(0);
  r.call("MPI_Pcontrol@x.c:1", "level 0x0A0001AA").times(4, [](Rank& q, int) {
    q.call("MPI_Scan").call("MPI_Barrier");
  });
  const std::string text = r.call("MPI_Pcontrol@x.c:9", "level 0x0A0001BB").text();
  EXPECT_EQ(stretches(text), "12-118 ");
  EXPECT_EQ(stretches(text, 0, Phases::never), "12-118 ");
  EXPECT_EQ(stretches(text, 0, Phases::always), "12-22-46 46-70 70-94 94-108 118 ");
}

TEST(Phases, starting_up_does_not_count) {
  Rank r(0);
  r.call("MPI_Init", "", 0).times(4, [](Rank& q, int) { q.call("MPI_Scan").call("MPI_Barrier"); });
  std::string text = r.text();
  text.replace(text.find("P0 0-2 MPI_Init"), 7, "P0 -9000-2 ");
  EXPECT_EQ(phases(text), "MPI_Scan:0 x4");
  EXPECT_EQ(stretches(text), "12-36 36-60 60-84 84-98 ");
}

TEST(Phases, long_traces_are_judged_by_their_beginning) {
  Rank r(0);
  r.enter("main").call("MPI_Init").times(40, [](Rank& q, int) { q.call("MPI_Scan").call("MPI_Bcast", "root 0"); });
  const std::string text = r.call("MPI_Reduce", "root 0").call("MPI_Finalize").leave().text();
  EXPECT_EQ(phases(text), "MPI_Scan:0 x40");
  EXPECT_EQ(phases(text, 0, 20), "MPI_Scan:0 x39");  // to the last MPI_Scan: where the loop ends is not known
  EXPECT_EQ(phases(text, 0, 84), "MPI_Scan:0 x40");
  EXPECT_EQ(phases(text, 0, 6), "-");
  // A loop that is over before the cut is known as a whole.
  Rank two(0);
  two.times(4, [](Rank& q, int) { q.call("MPI_Scan").call("MPI_Barrier"); }).times(9, [](Rank& q, int) {
    q.call("MPI_Bcast", "root 0", 1);
  });
  EXPECT_EQ(phases(two.text(), 0, 10), "MPI_Scan:0 x4");
}

TEST(Phases, threads_other_than_the_first_have_none) {
  std::string text = Rank(0).times(5, [](Rank& q, int) { q.call("MPI_Barrier"); }).text();
  for (int i = 0; i < 5; ++i) text += "P0.1 " + std::to_string(10 * i) + '-' + std::to_string(10 * i + 5) + " f\n";
  EXPECT_EQ(phases(text, 0), "MPI_Barrier:0 x5");
  EXPECT_EQ(phases(text, 1), "-");
}

}  // namespace
}  // namespace mora::trace
