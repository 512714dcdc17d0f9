/// The carrier over processes that are threads of the test: what the real MPIs do is tested in tests/mpi/analyze.
#include "analysis/carrier/mpi_carrier.h"

#include <gtest/gtest.h>

#include <barrier>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "analysis/analyze.h"
#include "trace/readers/text/text_source.h"

namespace mora::analysis {
namespace {

/// What the processes of a job share here.
struct Job {
  explicit Job(int processes) : size(processes), meeting(processes), gathered(static_cast<std::size_t>(processes)) {}
  int size;
  std::barrier<> meeting;
  std::mutex mutex;
  std::vector<std::vector<std::byte>> gathered;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> mail;
};

class ThreadProcess : public Processes {
 public:
  ThreadProcess(Job& job, int rank) : job_(job), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return job_.size; }
  Result<std::vector<std::byte>> all_gather(const std::byte* own, std::size_t bytes) override {
    job_.gathered[static_cast<std::size_t>(rank_)].assign(own, own + bytes);
    job_.meeting.arrive_and_wait();
    std::vector<std::byte> all;
    for (const auto& part : job_.gathered) all.insert(all.end(), part.begin(), part.end());
    job_.meeting.arrive_and_wait();
    return all;
  }
  Result<void> transfer(std::vector<Piece> sends, std::vector<Piece> receives) override {
    for (const Piece& p : cut_pieces(sends, 5)) {
      const std::lock_guard lock(job_.mutex);
      job_.mail[{rank_, p.peer}].emplace_back(p.data, p.data + p.bytes);
    }
    job_.meeting.arrive_and_wait();
    for (const Piece& p : cut_pieces(receives, 5)) {
      const std::lock_guard lock(job_.mutex);
      auto& box = job_.mail[{p.peer, rank_}];
      if (box.empty() || box.front().size() != p.bytes) return fail(ErrorKind::internal, "a piece does not fit");
      std::memcpy(p.data, box.front().data(), p.bytes);
      box.pop_front();
    }
    job_.meeting.arrive_and_wait();
    return {};
  }
  Result<void> finish() override { return {}; }
  void abandon(int) override { std::abort(); }

 private:
  Job& job_;
  int rank_;
};

void in_processes(int count, const std::function<void(Processes&)>& task) {
  Job job(count);
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadProcess process(job, rank);
      task(process);
    });
  }
}

Buffer text(const std::string& words) {
  Buffer buffer(words.size());
  if (!words.empty()) std::memcpy(buffer.data(), words.data(), words.size());
  return buffer;
}
std::string words(const Buffer& buffer) {
  return std::string(reinterpret_cast<const char*>(buffer.data()), buffer.size());
}

TEST(CutPieces, CutsTheSameWayAndLeavesOutWhatIsEmpty) {
  std::byte data[11];
  const auto pieces = cut_pieces({{3, data, 11}, {4, data, 0}, {5, data, 5}}, 5);
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces[1].data, data + 5);
  EXPECT_EQ(pieces[2].bytes, 1U);
  EXPECT_EQ(pieces[3].peer, 5);
}

TEST(MpiCarrier, BoxesArriveWhateverTheShares) {
  in_processes(3, [](Processes& process) {
    const auto share = static_cast<unsigned>(process.rank()) + 1;  // 1, 2, 3 partitions
    auto created = MpiCarrier::create(process, share);
    ASSERT_TRUE(created);
    MpiCarrier& carrier = **created;
    ASSERT_EQ(carrier.partitions(), 6U);
    ASSERT_EQ(carrier.local_partitions().size(), share);
    EXPECT_EQ(carrier.is_first(), process.rank() == 0);
    Boxes outgoing(share, std::vector<Buffer>(6));
    for (std::size_t i = 0; i < share; ++i) {
      for (unsigned d = 0; d < 6; ++d) {
        const unsigned from = carrier.local_partitions()[i];
        outgoing[i][d] = text(std::string((from * 5 + d) % 13, 'x') + std::to_string(from * 10 + d));
      }
    }
    const auto incoming = carrier.exchange(std::move(outgoing));
    ASSERT_TRUE(incoming);
    std::vector<Buffer> own;
    for (std::size_t i = 0; i < share; ++i) {
      const unsigned here = carrier.local_partitions()[i];
      for (unsigned s = 0; s < 6; ++s) {
        EXPECT_EQ(words((*incoming)[i][s]), std::string((s * 5 + here) % 13, 'x') + std::to_string(s * 10 + here));
      }
      own.push_back(text(std::string(here, '*')));
    }
    const auto all = carrier.gather_to_all(std::move(own));
    ASSERT_TRUE(all);
    for (unsigned p = 0; p < 6; ++p) EXPECT_EQ((*all)[p].size(), p);
  });
}

TEST(MpiCarrier, OneFailureEndsAllWithItsError) {
  in_processes(4, [](Processes& process) {
    const auto carrier = MpiCarrier::create(process, 1);
    ASSERT_TRUE(carrier);
    Result<void> ended;
    if (process.rank() >= 2) {  // two fail at once, while the others exchange
      ended =
          (*carrier)->agree(fail(ErrorKind::system, "disk full of " + std::to_string(process.rank()), "", "", "help"));
    } else {
      const auto boxes = (*carrier)->exchange(Boxes(1, std::vector<Buffer>(4)));
      ASSERT_FALSE(boxes);
      ended = tl::unexpected(boxes.error());
    }
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().what, "disk full of 2");
    EXPECT_EQ(ended.error().help, "help");
    EXPECT_EQ(ended.error().kind, ErrorKind::system);
    EXPECT_FALSE((*carrier)->agree({}));  // nobody waits for anybody any more
    EXPECT_FALSE((*carrier)->is_lost());
  });
}

TEST(MpiCarrier, AnalysesAlike) {
  const std::string trace =
      "mora-trace 1\n"
      "P0 0-1 MPI_Init; 2-4 MPI_Isend to 1 req a; 5-30 MPI_Wait req a; 31-40 MPI_Barrier; 41-42 MPI_Recv from 2\n"
      "P1 0-3 MPI_Init; 20-29 MPI_Recv from 0; 35-40 MPI_Barrier\n"
      "P2 0-2 MPI_Init; 33-40 MPI_Barrier; 50-55 MPI_Send to 0 bytes 0\n";
  const auto analysed = [&](Carrier* carrier, std::uint64_t window) {
    auto source = trace::read_trace_text(trace);
    EXPECT_TRUE(source);
    AnalyzeOptions options;
    options.workers = 1;
    options.window = window;
    return carrier != nullptr ? analyze(**source, "text", options, *carrier) : analyze(**source, "text", options);
  };
  const auto alone = analysed(nullptr, 0);
  ASSERT_TRUE(alone);
  for (const int processes : {1, 2, 3, 5, 8}) {
    in_processes(processes, [&](Processes& process) {
      const auto carrier = MpiCarrier::create(process, 2);
      ASSERT_TRUE(carrier);
      const auto shared = analysed(carrier->get(), process.size() % 3);
      ASSERT_TRUE(shared);
      if (process.rank() != 0) return;
      EXPECT_EQ(shared->run.events, alone->run.events);
      ASSERT_EQ(shared->waits.size(), alone->waits.size());
      for (cube::MetricId m = 0; m < alone->cube.metrics.size(); ++m) {
        for (cube::CallPathId c = 0; c < alone->cube.call_paths.size(); ++c) {
          EXPECT_EQ(shared->cube.row(m, c), alone->cube.row(m, c)) << alone->cube.metrics[m].id;
        }
      }
      ASSERT_EQ(shared->quality.rows().size(), alone->quality.rows().size());
      for (std::size_t i = 0; i < alone->quality.rows().size(); ++i) {
        EXPECT_EQ(shared->quality.rows()[i].count, alone->quality.rows()[i].count);
      }
    });
  }
}

}  // namespace
}  // namespace mora::analysis
