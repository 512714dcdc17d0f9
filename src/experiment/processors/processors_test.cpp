#include "experiment/processors/processors.h"

#include <gtest/gtest.h>

namespace mora::experiment {
namespace {

using Sentences = std::vector<std::string>;

RankFacts use(std::vector<std::uint32_t> processors, std::uint32_t limit = 0) {
  RankFacts facts;
  facts.processors = std::move(processors);
  facts.processor_limit = limit;
  return facts;
}

ProcessorSentences sentences(std::vector<RankFacts> ranks, const std::vector<std::string>& hosts = {}) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank].host = hosts.empty() ? "n1" : hosts[rank];
  return processor_sentences(ranks);
}

Sentences said(std::vector<RankFacts> ranks, const std::vector<std::string>& hosts = {}) {
  return sentences(std::move(ranks), hosts).sharing;
}

TEST(Processors, EachHasItsOwn) {
  EXPECT_EQ(said({use({0, 1}), use({0, 1})}), Sentences{});
  EXPECT_EQ(said({use({0}), use({1}), use({2})}), Sentences{});
  EXPECT_EQ(said({use({0}), use({0})}, {"n1", "n2"}), Sentences{});
  EXPECT_EQ(said({use({}), use({0})}), Sentences{}) << "nothing is known of rank 0";
}

TEST(Processors, MoreProcessesThanProcessors) {
  EXPECT_EQ(said({use({0, 1}), use({0, 1}), use({0, 1})}), Sentences{"3 processes share 2 processors of n1"});
  EXPECT_EQ(said({use({0}), use({3}), use({3})}), Sentences{"2 processes (ranks 1-2) share processor 3 of n1"});
  // ranks 0 and 2 have no processor in common, but rank 1 has with both
  const auto found = sentences({use({0}), use({0, 1}), use({1})});
  EXPECT_EQ(found.sharing, Sentences{"3 processes share 2 processors of n1"});
  EXPECT_EQ(found.binding, Sentences{"the processes of n1 are bound to different numbers of processors: rank 1 to 2, "
                                     "ranks 0 and 2 to 1 each"});
}

/// A team of so many threads.
RankFacts team(std::vector<std::uint32_t> processors, std::uint32_t threads) {
  RankFacts facts = use(std::move(processors));
  facts.team_threads = threads;
  return facts;
}

TEST(Processors, MoreThreadsThanProcessors) {
  EXPECT_EQ(said({team({0}, 2), team({1}, 1)}),
            Sentences{"2 threads of rank 0 share processor 0 of n1, the only one that they may use"});
  EXPECT_EQ(said({team({0, 1}, 2), team({0, 1}, 2)}),
            Sentences{"4 threads of 2 processes share 2 processors of n1, the only ones that they may use"});
  EXPECT_EQ(said({team({0, 1, 2}, 2), use({0, 1, 2})}), Sentences{}) << "one for each";
  EXPECT_EQ(said({team({0}, 2), team({0}, 2)}), Sentences{"2 processes share processor 0 of n1"});
}

TEST(Processors, ALimitOfTheControlGroup) {
  const std::vector<std::uint32_t> eight{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(said({use(eight, 1500), use(eight, 1500)}),
            Sentences{"2 processes of n1 may use 1.5 of 8 processors at a time, a limit of their control group"});
  EXPECT_EQ(said({use(eight, 2000), use(eight, 2000)}), Sentences{});
  EXPECT_EQ(said({use(eight, 16000), use(eight)}), Sentences{}) << "more than there are";
  RankFacts stopped = use(eight, 2000);
  stopped.usage = ProcessUsage{};
  stopped.usage->throttled_ns = 3'400'000'000;
  EXPECT_EQ(said({use(eight, 2000), stopped}),
            Sentences{"2 processes of n1 may use 2 of 8 processors at a time, a limit of their control group, which "
                      "stopped it for 3.4 s"});
}

TEST(Processors, ManySentencesAreCut) {
  std::vector<RankFacts> uses;
  for (std::uint32_t rank = 0; rank < 12; ++rank) uses.push_back(use({rank / 2}));
  const auto all = said(uses);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0], "2 processes (ranks 0-1) share processor 0 of n1");
  EXPECT_EQ(all.back(), "2 more of this kind");
}

TEST(Processors, Records) {
  ProcessorUse use;
  RankFacts facts;
  journal::Record record;
  record.shape = MORA_SHAPE_PROCESSORS;
  const std::uint64_t processors[] = {std::uint64_t{1500} << 32 | 96, 0x8000000000000005, 2};
  record.payload = processors;
  EXPECT_TRUE(use.take(record));
  use.tell(facts);
  EXPECT_EQ(facts.processors, (std::vector<std::uint32_t>{0, 2, 63, 65}));
  EXPECT_EQ(facts.processor_limit, 1500u);
  const std::uint64_t of_another_thread[] = {std::uint64_t{1500} << 32 | 96, 0xa};
  record.payload = of_another_thread;
  EXPECT_TRUE(use.take(record));
  use.tell(facts);
  EXPECT_EQ(facts.processors, (std::vector<std::uint32_t>{0, 1, 2, 3, 63, 65}));
  EXPECT_FALSE(facts.usage);
  record.shape = MORA_SHAPE_USAGE;
  const std::uint64_t before[] = {10, 20, 30, 40, 50, 60, 4096, 70, 5}, after[] = {11, 22, 33, 44, 55, 66, 8192, 77, 6};
  record.payload = before;
  EXPECT_TRUE(use.take(record));
  record.payload = after;
  EXPECT_TRUE(use.take(record));
  use.tell(facts);
  ASSERT_TRUE(facts.usage);
  EXPECT_EQ(facts.usage->user_ns, 1u);
  EXPECT_EQ(facts.usage->system_ns, 2u);
  EXPECT_EQ(facts.usage->input_page_faults, 4u);
  EXPECT_EQ(facts.usage->involuntary_switches, 6u);
  EXPECT_EQ(facts.usage->throttled_ns, 7u);
  EXPECT_EQ(facts.usage->core_khz, 6u);
  EXPECT_EQ(facts.usage->resident_bytes, 8192u);
  EXPECT_FALSE(facts.usage->io);
  const std::uint64_t begin[] = {10, 20, 30, 40, 50, 60, 4096, 70, 5, 100, 200, 300, 400},
                      end[] = {11, 22, 33, 44, 55, 66, 8192, 77, 6, 101, 202, 303, 404};
  ProcessorUse with_io;
  record.payload = begin;
  EXPECT_TRUE(with_io.take(record));
  record.payload = end;
  EXPECT_TRUE(with_io.take(record));
  with_io.tell(facts);
  ASSERT_TRUE(facts.usage && facts.usage->io);
  EXPECT_EQ(facts.usage->io->read, 1u);
  EXPECT_EQ(facts.usage->io->written, 2u);
  EXPECT_EQ(facts.usage->io->from_storage, 3u);
  EXPECT_EQ(facts.usage->io->to_storage, 4u);
  record.shape = MORA_SHAPE_CORE;
  EXPECT_FALSE(use.take(record));
}

}  // namespace
}  // namespace mora::experiment
