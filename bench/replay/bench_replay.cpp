// bench_replay halo RANKS STEPS | alltoall RANKS STEPS | collective RANKS STEPS [TIMES]
// Replays a generated program, which is nowhere stored, on a machine model, TIMES times. Prints messages, seconds of
// processor time to make its actions, to replay it once (the median), on the ideal network, and peak memory in MiB.
// halo: exchange with four neighbours on a torus, requests of 4 KiB, a sum every ten steps; alltoall: everybody sends
// 4 KiB to everybody by requests; collective: the same by MPI_Alltoall, whose linear algorithm is run.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "predict/prediction/machine_network.h"
#include "replay/replay.h"
#include "trace/mpi_function.h"

namespace {

using namespace mora;

constexpr std::uint64_t bytes = 4096;

/// Times are those of the computation: calls last nothing, as when they are not known.
class Generated final : public trace::Source {
 public:
  Generated(const std::string& shape, std::uint32_t ranks, std::uint32_t steps)
      : shape_(shape), ranks_(ranks), steps_(steps) {
    definitions_.world_size = ranks;
    definitions_.nodes = {{"node"}};
    trace::Communicator world;
    world.name = "MPI_COMM_WORLD";
    for (std::uint32_t r = 0; r < ranks; ++r) {
      trace::Location location;
      location.name = fmt::format("rank {}", r);
      location.rank = r;
      definitions_.locations.push_back(location);
      world.members.push_back(r);
    }
    definitions_.communicators = {world};
    for (const char* name : {"main", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce", "MPI_Alltoall"}) {
      trace::Region region;
      region.name = name;
      if (name[0] == 'M') {
        region.kind = trace::RegionKind::mpi;
        region.function = mpi::find(name);
      }
      definitions_.regions.push_back(region);
    }
    definitions_.index_ranks();
    for (wide_ = static_cast<std::uint32_t>(std::sqrt(ranks)); ranks % wide_ != 0;) --wide_;
  }

  std::uint64_t messages() const {
    const std::uint64_t each = shape_ == "halo" ? 4 : ranks_ - 1;
    return each * ranks_ * steps_;
  }
  const trace::Definitions& definitions() const override { return definitions_; }
  std::uint64_t event_count_hint(trace::LocationId) const override { return 0; }
  Nanoseconds duration_hint() const override { return 0; }
  DataQuality& quality() override { return quality_; }
  std::string format() const override { return "generated"; }

  Result<void> read_location(trace::LocationId rank, trace::EventSink& sink) override {
    Stream s(sink);
    s.enter(region_main);
    for (std::uint32_t step = 0; step < steps_; ++step) {
      s.now += 10'000 + (rank * 7919 + step * 104'729) % 5'000;
      if (shape_ == "collective") {
        s.collective(region_alltoall, trace::Collective::alltoall, std::uint64_t{ranks_} * bytes);
        continue;
      }
      std::uint64_t request = 0;
      const auto each = [&](auto&& one) {
        if (shape_ == "alltoall") {
          for (std::uint32_t i = 1; i < ranks_; ++i) one((rank + i) % ranks_, (rank + ranks_ - i) % ranks_, 0);
          return;
        }
        const std::uint32_t high = ranks_ / wide_, x = rank % wide_, y = rank / wide_;
        const std::uint32_t left = y * wide_ + (x + wide_ - 1) % wide_, right = y * wide_ + (x + 1) % wide_;
        const std::uint32_t down = (y + high - 1) % high * wide_ + x, up = (y + 1) % high * wide_ + x;
        one(left, right, 0), one(right, left, 1), one(down, up, 2), one(up, down, 3);
      };
      each([&](std::uint32_t, std::uint32_t from, std::int32_t tag) {
        s.request(region_irecv, trace::EventKind::receive_request, from, tag, ++request);
      });
      each([&](std::uint32_t to, std::uint32_t, std::int32_t tag) {
        s.request(region_isend, trace::EventKind::send_request, to, tag, ++request);
      });
      s.enter(region_waitall);
      request = 0;
      each([&](std::uint32_t, std::uint32_t from, std::int32_t tag) {
        s.message(trace::EventKind::receive_complete, from, tag, ++request);
      });
      each([&](std::uint32_t to, std::uint32_t, std::int32_t tag) {
        s.message(trace::EventKind::send_complete, to, tag, ++request);
      });
      s.leave(region_waitall);
      if (step % 10 == 9) s.collective(region_allreduce, trace::Collective::allreduce, 8);
    }
    s.leave(region_main);
    return {};
  }

 private:
  enum Region : trace::RegionId {
    region_main,
    region_irecv,
    region_isend,
    region_waitall,
    region_allreduce,
    region_alltoall,
  };
  struct Stream {
    explicit Stream(trace::EventSink& to) : sink(to) {}
    trace::EventSink& sink;
    Nanoseconds now = 0;

    void give(trace::Event& e) {
      e.time = now;
      sink.on_event(e);
    }
    void enter(trace::RegionId region) {
      trace::Event e;
      e.kind = trace::EventKind::enter;
      e.region = region;
      give(e);
    }
    void leave(trace::RegionId region) {
      trace::Event e;
      e.kind = trace::EventKind::leave;
      e.region = region;
      give(e);
    }
    void message(trace::EventKind kind, std::uint32_t peer, std::int32_t tag, std::uint64_t request) {
      trace::Event e;
      e.kind = kind;
      e.peer = peer;
      e.tag = tag;
      e.comm = 0;
      e.bytes = bytes;
      e.request = request;
      give(e);
    }
    void request(trace::RegionId region, trace::EventKind kind, std::uint32_t peer, std::int32_t tag,
                 std::uint64_t number) {
      enter(region);
      message(kind, peer, tag, number);
      leave(region);
    }
    void collective(trace::RegionId region, trace::Collective collective, std::uint64_t size) {
      enter(region);
      trace::Event e;
      e.kind = trace::EventKind::collective_end;
      e.collective = collective;
      e.comm = 0;
      e.bytes = e.received = size;
      give(e);
      leave(region);
    }
  };
  const std::string shape_;
  const std::uint32_t ranks_, steps_;
  std::uint32_t wide_ = 1;
  trace::Definitions definitions_;
  DataQuality quality_;
};

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}
double peak_mib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

template <class T>
T checked(Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{}\n", result.error().text());
  std::exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string shape = argc > 1 ? argv[1] : "";
  if (argc < 4 || (shape != "halo" && shape != "alltoall" && shape != "collective")) {
    fmt::print(stderr, "bench_replay halo|alltoall|collective RANKS STEPS [TIMES]\n");
    return 2;
  }
  const auto ranks = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
  Generated source(shape, ranks, static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)));
  const unsigned long times = argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 3;
  const predict::MachineModel machine =
      checked(predict::parse_machine_model(R"({"format": "mora-machine 2", "name": "lines", "other_node":
        {"model": "loggp", "latency_ns": 1500, "overhead_ns": 300, "gap_ns": 400, "gap_ns_per_byte": 0.1}})",
                                           "model"));
  predict::RankPlaces places;
  for (std::uint32_t r = 0; r < ranks; ++r) places.node.push_back(r);
  const predict::MachineNetwork network = checked(predict::MachineNetwork::make(
      machine, places, mpi::schedule::CollectiveModel::linear, predict::CostModel::machine, "model"));
  const replay::IdealNetwork ideal;

  replay::ReplayOptions options;
  options.workers = 1;
  replay::ReplayInput input(source, options, {});
  const double before = processor_seconds();
  if (const auto read = input.finish(); !read) {
    fmt::print(stderr, "{}\n", read.error().text());
    return 3;
  }
  const double reading = processor_seconds() - before;
  const auto seconds_on = [&](const replay::Network& on) {
    std::vector<double> all;
    Nanoseconds end = 0;
    for (unsigned long i = 0; i < times; ++i) {
      const double begin = processor_seconds();
      end = checked(replay::replay_on(input, {&on})).front().end;
      all.push_back(processor_seconds() - begin);
    }
    std::sort(all.begin(), all.end());
    fmt::print(stderr, "{} {} ranks: run time {} ns\n", shape, ranks, end);
    return all[all.size() / 2];
  };
  const double costed = seconds_on(network), free = seconds_on(ideal);
  fmt::print("{} {:.3f} {:.3f} {:.3f} {:.1f}\n", source.messages(), reading, costed, free, peak_mib());
  return 0;
}
