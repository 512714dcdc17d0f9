/// A prediction: how long a recorded program would take on a machine, and where.
///
/// Idea: one reading of the trace, five replays (three, if the model states no errors): on the machine; with all its
/// costs lowered and raised by the errors that its model states (the error bar); on a network that costs nothing and on
/// Hockney's straight line through the same model (baselines: whoever does not beat them predicts nothing). Rules:
/// predicted-messages, predicted-collectives, predicted-runs. Cost: the replays. Limits: the error bar holds what the
/// model says of single messages, not what is not modelled (unmodelled.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "base/progress.h"
#include "mpi/schedules/algorithm.h"
#include "predict/prediction/machine_network.h"
#include "predict/prediction/unmodelled.h"
#include "trace/source.h"

namespace mora::predict {

struct PredictionRequest {
  const MachineModel* machine = nullptr;
  std::string machine_file;  ///< for messages
  RankPlaces places;         ///< of all ranks of the trace
  mpi::schedule::CollectiveModel collectives = mpi::schedule::CollectiveModel::linear;
  std::uint64_t compute_factor = 1'000'000;  ///< millionths
  std::vector<std::uint64_t> rank_factors;   ///< by rank: millionths beside compute_factor; empty: 1
  ProgressCallback progress;
};

/// Time in MPI calls. Sums are integers.
struct PredictedTime {
  Nanoseconds waiting = 0, transfer = 0, overhead = 0;
  Nanoseconds local = 0;     ///< as recorded: files, local calls
  Nanoseconds measured = 0;  ///< what the same was in the recorded run
  std::uint64_t visits = 0;
  Nanoseconds total() const { return waiting + transfer + overhead + local; }
  PredictedTime& operator+=(const PredictedTime& other);
};

struct PredictedCall {
  std::string path;      ///< "main > step > MPI_Send (halo.c:42)"
  std::string function;  ///< "MPI_Send"
  std::string kind;      ///< "point-to-point", "collective", "one-sided", "file", "other"
  std::vector<PredictedTime> by_rank;
  std::vector<Nanoseconds> free_by_rank, hockney_by_rank;  ///< the same on the baselines
  PredictedTime sum() const;
};

/// What one network makes of the run.
struct PredictedRun {
  Nanoseconds run_time = 0;        ///< from the first event to the last arrival at MPI_Finalize
  Nanoseconds mpi_time = 0;        ///< of all ranks together, without MPI_Init and MPI_Finalize
  std::vector<Nanoseconds> ranks;  ///< the same by rank
};

struct Prediction {
  PredictedRun machine, low, high, free, hockney, measured;
  PredictedRun without_waiting;  ///< on the machine: each rank's time without its waiting; a bound of the run
  std::vector<PredictedTime> by_rank;
  std::vector<Nanoseconds> computation;  ///< by rank: recorded time outside of MPI calls, of its first thread
  std::vector<PredictedCall> calls;      ///< longest first
  std::vector<Unmodelled> unmodelled;
  std::uint64_t largest_beyond = 0;  ///< bytes of the largest message beyond what was measured; 0: there is none
  std::vector<Locality> classes;     ///< that the placement needs
  SharedCosts shared;                ///< what the machine's ranks share
  std::uint64_t messages = 0, collectives = 0, collectives_by_need = 0;
  DataQuality quality;
};

/// Predicted times in MPI, corrected by what measured runs taught (predict/learning/).
struct CorrectedRank {
  std::uint32_t rank = 0;
  Nanoseconds predicted = 0;
  Nanoseconds corrected = 0;      ///< as predicted, if the correction does not apply
  Nanoseconds low = 0, high = 0;  ///< error bar: of the model, and the correction's on held-out applications
  bool applies = false;
  /// Features that are out of the range of the runs that it was learned from; of a rank that it applies to those that
  /// say how large the run is, and that the correction does not depend on: it is extrapolated.
  std::vector<std::string> beyond;
};

struct CorrectedTimes {
  std::string file;
  double held_out_error = 0;  ///< ninth decile; 0.25: a factor of 1.25
  std::vector<CorrectedRank> ranks;
  std::uint64_t applied() const {
    std::uint64_t n = 0;
    for (const CorrectedRank& rank : ranks) n += rank.applies ? 1 : 0;
    return n;
  }
  std::uint64_t extrapolated() const {
    std::uint64_t n = 0;
    for (const CorrectedRank& rank : ranks) n += rank.applies && !rank.beyond.empty() ? 1 : 0;
    return n;
  }
  bool saw_run = false;  ///< the run is one of those that it was learned from: it is no test
};

/// Errors: the trace cannot be read; the model lacks a class (unreadable); the program would hang on this machine
/// ("deadlock: rank 0 in MPI_Send …").
Result<Prediction> predict(trace::Source& source, const PredictionRequest& request);

}  // namespace mora::predict
