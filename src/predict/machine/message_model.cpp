/// The formulas of message_model.h.
#include "predict/machine/message_model.h"

#include <algorithm>
#include <cmath>

namespace mora::predict {

HockneyModel::HockneyModel(double latency_ns, double ns_per_byte, double relative_error) {
  lines_.latency_ns = latency_ns;
  lines_.ns_per_byte = ns_per_byte;
  lines_.relative_error = relative_error;
}

MessageLines LogGpModel::at(std::uint64_t bytes) const {
  MessageLines lines;
  // (m-1) G, and nothing for an empty message.
  const double first = bytes == 0 ? 0 : p_.gap_ns_per_byte;
  lines.send_overhead_ns = lines.receive_overhead_ns = p_.overhead_ns;
  lines.latency_ns = std::max(0.0, p_.latency_ns - first);
  lines.ns_per_byte = p_.gap_ns_per_byte;
  lines.gap_ns = p_.gap_ns - first;
  lines.gap_ns_per_byte = p_.gap_ns_per_byte;
  lines.rendezvous = bytes > p_.eager_up_to_bytes;
  lines.relative_error = p_.relative_error;
  return lines;
}

MessageLines PiecewiseModel::at(std::uint64_t bytes) const {
  std::size_t i = 0;
  while (i + 1 < ranges_.size() && ranges_[i].up_to_bytes < bytes) ++i;
  return ranges_[i].lines;
}

bool PiecewiseModel::states_errors() const {
  return std::any_of(ranges_.begin(), ranges_.end(), [](const CostRange& r) { return r.lines.relative_error > 0; });
}

HockneyModel hockney_of(const MessageModel& model) {
  constexpr std::uint64_t large = 1 << 20;
  const auto total = [&](std::uint64_t bytes) {
    const MessageLines lines = model.at(bytes);
    return lines.fixed_ns() + static_cast<double>(bytes) * lines.per_byte_ns();
  };
  const double small = total(0);
  return {small, std::max(0.0, total(large) - small) / static_cast<double>(large)};
}

replay::MessageCost message_cost(const MessageModel& model, std::uint64_t bytes, const CostScale& scale) {
  const MessageLines lines = model.at(bytes);
  const double m = static_cast<double>(bytes);
  const auto cost = [&](double fixed, double per_byte) {
    return rounded_ns(scale.overhead * fixed + scale.bytes * m * per_byte, INT64_MAX / 16);
  };
  replay::MessageCost c;
  c.send_overhead = cost(lines.send_overhead_ns, lines.send_overhead_ns_per_byte);
  c.receive_overhead = cost(lines.receive_overhead_ns, lines.receive_overhead_ns_per_byte);
  c.latency = rounded_ns(scale.latency * lines.latency_ns, INT64_MAX / 16);
  c.port = cost(0, lines.ns_per_byte);
  c.gap = cost(lines.gap_ns, lines.gap_ns_per_byte);
  c.rendezvous = lines.rendezvous;
  return c;
}

Nanoseconds rounded_ns(double nanoseconds, Nanoseconds most) {
  return nanoseconds < static_cast<double>(most) ? std::llround(std::max(0.0, nanoseconds)) : most;
}

}  // namespace mora::predict
