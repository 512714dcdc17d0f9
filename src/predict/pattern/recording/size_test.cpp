// trace.mpt is never larger than what zstd -3 makes of the text traces and what the text does not say: which request
// each MPI_Waitany completed, tags where they are random, and what a file of no calls has. Programs without loops that
// fold, made by numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <cmath>
#include <random>

#include "base/file.h"
#include "predict/pattern/archive/archive.h"
#include "predict/pattern/text/text_trace.h"
#include "support/scratch_directory.h"

namespace mora::predict {
namespace {

constexpr double of_any_file = 400;  ///< headers, checksums and definitions, of which the text has few

struct Shape {
  std::uint32_t world = 0;
  int steps = 0, changes = 0;    ///< how often neighbours change
  unsigned sizes = 0, tags = 0;  ///< how many different ones
  bool any_order = false;        ///< requests are completed one by one, in an order of their own
};

/// Exchanges with neighbours that change now and then, as adaptive meshes have them, and a reduction.
/// `unsaid` grows by the bits of each choice that the text does not tell.
RankTrace irregular(std::uint32_t rank, const Shape& shape, std::mt19937& random, double& unsaid) {
  RankTraceBuilder builder(rank);
  std::vector<std::pair<std::int32_t, int>> neighbours;
  for (int step = 0; step < shape.steps; ++step) {
    if (step % std::max(1, shape.steps / shape.changes) == 0) {
      neighbours.clear();
      for (unsigned n = 1 + random() % 6; n > 0; --n)
        neighbours.emplace_back((rank + 1 + random() % (shape.world - 1)) % shape.world, random() % shape.sizes);
    }
    std::vector<Call> begun;
    for (const Operation operation : {Operation::irecv, Operation::isend}) {
      for (const auto& [peer, size] : neighbours) {
        Call call;
        call.communicator = 0;
        call.operation = operation;
        call.peer = peer;
        call.tag = static_cast<std::int32_t>(static_cast<unsigned>(size) % shape.tags);
        (operation == Operation::isend ? call.sent : call.received) = {100 + size * 7, 0};
        builder.add(call);
        begun.push_back(call);
      }
    }
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < begun.size(); ++i) open.push_back(i);
    while (!open.empty()) {
      const std::size_t choices = shape.any_order ? std::min<std::size_t>(open.size(), 3) : 1;
      const std::size_t which = random() % choices;
      unsaid += std::log2(static_cast<double>(choices));
      const Call& done = begun[open[which]];
      Completion completion;
      completion.age = static_cast<std::uint32_t>(begun.size() - 1 - open[which]);
      if (done.operation == Operation::irecv) {
        completion.source = done.peer;
        completion.tag = done.tag;
        completion.bytes = static_cast<std::uint64_t>(done.received.count) * 4;
      }
      Call wait;
      wait.operation = Operation::waitany;
      wait.completions = builder.completions({completion});
      builder.add(wait);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
    Call reduction;
    reduction.operation = Operation::allreduce;
    reduction.communicator = 0;
    reduction.sent = reduction.received = {1, 0};
    builder.add(reduction);
  }
  return builder.finish();
}

PatternTrace empty_trace(std::uint32_t world) {
  PatternTrace trace;
  trace.definitions.world_size = world;
  trace.definitions.datatypes = {{"MPI_INT", 4, 4, true, true, 1}};
  Communicator all{"MPI_COMM_WORLD", Operation::init, no_id, no_id, 0, 0, {}, {}};
  for (std::uint32_t r = 0; r < world; ++r) all.members.push_back(r);
  trace.definitions.communicators = {all};
  return trace;
}

/// Whom, how much and with which tag: all random. `shared`: what all ranks do together instead, a collective with a
/// random root and size.
struct Random {
  std::uint32_t world = 0;
  int steps = 0;
  unsigned sizes = 0, tags = 0;
  bool shared = false;
};

PatternTrace random_program(const Random& shape, std::mt19937& random, double& unsaid) {
  std::vector<RankTraceBuilder> ranks;
  for (std::uint32_t r = 0; r < shape.world; ++r) ranks.emplace_back(r);
  for (int step = 0; step < shape.steps; ++step) {
    const std::int64_t count = 1 + random() % shape.sizes;
    const std::uint32_t one = random() % shape.world, other = (one + 1 + random() % (shape.world - 1)) % shape.world;
    Call call;
    call.communicator = 0;
    if (shape.shared) {
      call.operation = random() % 2 == 0 ? Operation::bcast : Operation::allreduce;
      for (std::uint32_t r = 0; r < shape.world; ++r) {
        const bool is_bcast = call.operation == Operation::bcast;
        call.peer = is_bcast ? static_cast<std::int32_t>(one) : peer_none;
        call.sent = !is_bcast || r == one ? Payload{count, 0} : Payload{};
        call.received = is_bcast && r == one ? Payload{} : Payload{count, 0};
        ranks[r].add(call);
      }
      continue;
    }
    call.tag = static_cast<std::int32_t>(random() % shape.tags);
    unsaid += 2 * std::log2(static_cast<double>(shape.tags));  // each end says it
    Call receive = call;
    call.operation = Operation::send;
    call.peer = static_cast<std::int32_t>(other);
    call.sent = {count, 0};
    receive.operation = Operation::recv;
    receive.peer = static_cast<std::int32_t>(one);
    receive.received = {count, 0};
    receive.bytes_received = static_cast<std::uint64_t>(count) * 4;
    ranks[one].add(call);
    ranks[other].add(receive);
  }
  PatternTrace trace = empty_trace(shape.world);
  for (RankTraceBuilder& rank : ranks) trace.ranks.push_back(rank.finish());
  return trace;
}

/// Also that it comes back as it was.
void expect_small(const PatternTrace& trace, double unsaid, const std::string& what) {
  const ScratchDirectory directory;
  ASSERT_TRUE(write_text_traces(trace, directory.path("text")));
  std::string text;
  for (const RankTrace& rank : trace.ranks)
    text += *read_file(fmt::format("{}/ti_trace{}.txt", directory.path("text"), rank.rank));
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  const auto bytes = write_archive(trace, directory.path("trace.mpt"));
  ASSERT_TRUE(bytes);
  EXPECT_LE(static_cast<double>(*bytes), static_cast<double>(packed.size()) + unsaid / 8 + of_any_file)
      << what << ", text " << text.size();
  const auto back = read_archive(directory.path("trace.mpt"));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->ranks.size(), trace.ranks.size());
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    EXPECT_EQ(back->ranks[r].calls, trace.ranks[r].calls);
    EXPECT_EQ(back->ranks[r].order, trace.ranks[r].order);
  }
}

TEST(PatternSize, NeverLargerThanTheCompressedText) {
  std::mt19937 random(17);
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Shape shape{2 + static_cast<std::uint32_t>(random() % 7), 40 + static_cast<int>(random() % 200),
                      1 + static_cast<int>(random() % 60),          1 + static_cast<unsigned>(random() % 40),
                      1 + static_cast<unsigned>(random() % 4),      random() % 3 != 0};
    double unsaid = 0;
    PatternTrace trace = empty_trace(shape.world);
    for (std::uint32_t r = 0; r < shape.world; ++r) trace.ranks.push_back(irregular(r, shape, random, unsaid));
    expect_small(trace, unsaid,
                 fmt::format("seed {}: {} ranks, {} steps, {} changes, {} sizes, {} tags", seed, shape.world,
                             shape.steps, shape.changes, shape.sizes, shape.tags));
  }
}

// Among them more ranks than a block holds, which zstd finds again in the text of all.
TEST(PatternSize, NeverLargerWherePartnersSizesAndTagsAreRandom) {
  std::mt19937 random(6);
  for (const Random& shape :
       {Random{4, 100, 1000, 1}, Random{4, 500, 1000, 1000}, Random{8, 1000, 20, 1}, Random{8, 1000, 1, 32768},
        Random{8, 2000, 1000000, 100}, Random{16, 2000, 1, 1}, Random{70, 3000, 50, 8}, Random{200, 2000, 1000, 1},
        Random{3, 300, 1000000, 1, true}, Random{65, 300, 10, 1, true}, Random{130, 200, 1000000, 1, true}}) {
    double unsaid = 0;
    const PatternTrace trace = random_program(shape, random, unsaid);
    expect_small(trace, unsaid,
                 fmt::format("{} ranks, {} steps, {} sizes, {} tags, shared {}", shape.world, shape.steps, shape.sizes,
                             shape.tags, shape.shared));
  }
}

}  // namespace
}  // namespace mora::predict
