/// A small analysis made by hand for the tests: a ring of four ranks, rank 0 late. Figures are chosen so that the
/// accounting holds: time = sum of own times; a wait state is part of the MPI time around it.
#pragma once

#include "analysis/metric_info.h"
#include "analysis/result.h"

namespace mora::report::sample {

inline std::vector<analysis::MetricInfo> infos() {
  using cube::Unit;
  return {
      {"time", "Time", "time", "", Unit::seconds, false, "All ranks' time.", "sum of leave - enter", "OTF2",
       "Large: the run is long.", "Look below."},
      {"computation", "Computation", "comp", "time", Unit::seconds, false, "Time outside of MPI.", "time - MPI", "OTF2",
       "The useful part.", "Balance it."},
      {"mpi", "MPI", "mpi", "time", Unit::seconds, false, "Time in MPI calls.", "sum over MPI regions", "OTF2",
       "Communication or waiting.", "See which."},
      {"mpi-point-to-point", "Point-to-point", "mpi_point2point", "mpi", Unit::seconds, false, "Messages.",
       "sum over p2p calls", "OTF2", "Messages take long.", "Fewer messages."},
      {"late-sender", "Late Sender", "mpi_latesender", "mpi-point-to-point", Unit::seconds, true,
       "A receiver waits because the matching send starts late.", "w = min(E(send), L(recv)) - E(recv), if > 0",
       "Scalasca 2.6, Late Sender", "The sender computes longer than the receiver before this exchange.",
       "Balance the computation before the send, or post the receive later with MPI_Irecv."},
      {"mpi-collective", "Collective", "mpi_coll", "mpi", Unit::seconds, false, "Collectives.",
       "sum over collective calls", "OTF2", "Collectives take long.", "Fewer collectives."},
      {"wait-at-barrier", "Wait at Barrier", "mpi_barrier_wait", "mpi-collective", Unit::seconds, true,
       "A rank waits in a barrier for the last one.", "w_p = [min(max_q B_q, X_p) - B_p]+",
       "Scalasca 2.6, Wait at Barrier", "Ranks reach the barrier at different times.",
       "Remove the barrier if the algorithm does not need it."},
      {"visits", "Visits", "visits", "", Unit::occurrences, false, "How often a region was entered.",
       "number of enters", "OTF2", "Many small calls.", "Merge them."},
      {"bytes-sent", "Bytes sent", "bytes_sent", "", Unit::bytes, false, "Payload of sends.", "sum of lengths", "OTF2",
       "Much data.", "Send less."},
      {"late-receiver", "Late Receiver", "mpi_latereceiver", "mpi-point-to-point", Unit::seconds, true,
       "A sender waits.", "w = E(recv) - E(send)", "Scalasca 2.6", "The receiver is late.", "Post receives early."},
  };
}

inline analysis::AnalysisResult result() {
  using cube::CallPathKind;
  analysis::AnalysisResult r;
  cube::Cube& cube = r.cube;
  for (const auto& info : infos()) {
    cube::Metric metric{
        std::string(info.id),     std::string(info.name), std::string(info.unique_name), cube::no_id, info.unit,
        std::string(info.summary)};
    if (!info.parent.empty()) metric.parent = cube.find_metric(std::string(info.parent));
    cube.metrics.push_back(metric);
  }
  cube.call_paths = {
      {cube::no_id, "ring", CallPathKind::program, "", 0},
      {0, "main", CallPathKind::user, "/src/ring.c", 20},
      {1, "MPI_Send", CallPathKind::mpi, "/src/ring.c", 37},
      {1, "MPI_Recv", CallPathKind::mpi, "/src/ring.c", 42},
      {1, "MPI_Barrier", CallPathKind::mpi, "/src/ring.c", 50},
      {1, "compute MPI_Recv@ring.c:42 -> MPI_Barrier@ring.c:50", CallPathKind::compute, "/src/ring.c", 42}};
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    cube.locations.push_back({"rank " + std::to_string(rank), rank, 0, rank < 2 ? "node1" : "node2"});
  cube.attributes = {{"creator", "mora"}, {"program", "ring"}};
  const auto add = [&](const char* id, cube::CallPathId path, std::uint32_t rank, std::int64_t amount) {
    cube.add(cube.find_metric(id), path, rank, amount);
  };
  constexpr std::int64_t ms = 1'000'000;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const std::int64_t recv = rank == 1 ? 2'310 * ms : 100 * ms, barrier = rank == 0 ? 1 : 250 * ms + rank;
    const std::int64_t compute = 5'000 * ms - recv - barrier;
    for (const char* id : {"time", "computation"}) add(id, 1, rank, compute - 300 * ms), add(id, 5, rank, 300 * ms);
    for (const char* id : {"time", "mpi", "mpi-point-to-point"}) add(id, 3, rank, recv), add(id, 2, rank, 20 * ms);
    for (const char* id : {"time", "mpi", "mpi-collective"}) add(id, 4, rank, barrier);
    if (rank == 1) add("late-sender", 3, rank, 2'300 * ms + 1);
    if (rank == 2) add("late-sender", 3, rank, 7);
    if (rank != 0) add("wait-at-barrier", 4, rank, 240 * ms);
    for (const cube::CallPathId path : {2u, 3u, 4u}) add("visits", path, rank, 10);
    add("bytes-sent", 2, rank, 4096);
  }
  analysis::WaitSummary late;
  late.metric = cube.find_metric("late-sender");
  late.call_path = 3;
  late.instances = 11;
  late.total = 2'300 * ms + 8;
  late.worst = {3'107 * ms, 3'627 * ms, 1, 0, 2};
  late.caused_by = {{0, 2'300 * ms + 1}, {1, 7}};
  analysis::WaitSummary barrier;
  barrier.metric = cube.find_metric("wait-at-barrier");
  barrier.call_path = 4;
  barrier.instances = 30;
  barrier.total = 720 * ms;
  barrier.worst = {4'000 * ms, 4'100 * ms, 3, 0, 4};
  barrier.caused_by = {{0, 720 * ms}};
  r.waits = {late, barrier};
  r.run = {"ring", "mora-ring-4/traces.otf2", "OTF2", 4, 4, 480, 5'020 * ms};
  r.quality.add("unmatched-receive", Severity::warning, "rank 3", 2, "2 receives have no matching send",
                "run `mora recover` on the experiment if the job was killed");
  r.quality.add("lost-records", Severity::loss, "rank 2", 1, "the last record was being written when the process died",
                "");
  return r;
}

}  // namespace mora::report::sample
