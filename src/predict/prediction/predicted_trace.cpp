#include "predict/prediction/predicted_trace.h"

#include "predict/prediction/requested_replay.h"
#include "replay/times/replayed_source.h"

namespace mora::predict {

Result<std::unique_ptr<trace::Source>> predicted_trace(trace::Source& source, const PredictionRequest& request) {
  MORA_TRY(const MachineNetwork machine, MachineNetwork::make(*request.machine, request.places, request.collectives,
                                                              CostModel::machine, request.machine_file));
  replay::ReplayOptions options;
  options.progress = request.progress;
  std::unique_ptr<replay::ReplayedTimes> times;
  MORA_TRY(const replay::Replayed replayed,
           replay::replay_on(source, machine, options, program_of(source.definitions(), request), times));
  if (!replayed.blocked.empty()) return deadlock_error(source.definitions(), replayed, request.machine_file);
  return std::make_unique<replay::ReplayedSource>(source, std::move(times));
}

}  // namespace mora::predict
