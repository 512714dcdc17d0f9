#include "predict/pattern/recording/totals.h"

namespace mora::predict {

std::vector<std::uint64_t> occurrences(const Sequence& sequence, std::size_t numbers) {
  std::vector<std::uint64_t> times(numbers), loops(sequence.loops.size());
  const auto add = [&](const std::vector<Sequence::Item>& body, std::uint64_t turns) {
    for (const auto& item : body) {
      auto& counter = item.is_loop ? loops[item.index] : times[item.index];
      counter += turns * item.times;
    }
  };
  add(sequence.items, 1);
  // A body refers to loops of smaller index only: from the last to the first, every loop's number of executions is
  // known.
  for (std::size_t i = loops.size(); i-- > 0;)
    if (loops[i] != 0) add(sequence.loops[i].body, loops[i]);
  return times;
}

PatternTotals totals_of(const PatternTrace& trace) {
  PatternTotals t;
  t.by_operation.resize(mpi::operation_count);
  for (const auto& rank : trace.ranks) {
    t.dropped_tests += rank.dropped_tests;
    const auto times = occurrences(rank.order, rank.calls.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto& call = rank.calls[i];
      if (info(call.operation).kind != OperationClass::phase) t.calls += times[i];
      t.by_operation[static_cast<std::size_t>(call.operation)] += times[i];
      const auto sent = bytes_of(call.sent, trace.definitions), received = bytes_of(call.received, trace.definitions);
      switch (info(call.operation).kind) {
        case OperationClass::send:
        case OperationClass::sendrecv:
          if (call.peer < 0) break;
          t.messages += times[i];
          t.message_bytes += times[i] * sent;
          break;
        case OperationClass::rooted:
        case OperationClass::rootless:
        case OperationClass::neighborhood:
          t.collectives += times[i];
          break;
        case OperationClass::one_sided:
          if (call.peer < 0) break;
          t.one_sided += times[i];
          t.one_sided_bytes += times[i] * (sent + received);
          break;
        case OperationClass::file:
          t.written_bytes += times[i] * sent;
          t.read_bytes += times[i] * received;
          break;
        default:
          break;
      }
    }
  }
  return t;
}

}  // namespace mora::predict
