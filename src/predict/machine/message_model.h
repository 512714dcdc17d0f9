/// What a message costs between two ranks of one distance: models behind one interface.
///
/// Each model gives, for a size, straight lines: what the message costs is fixed + bytes × per byte for the sender's
/// processor, the receiver's, and the way between. m: bytes.
///
///   Hockney     α + m β. No processor is busy: all of it passes between the ends. Source: Hockney 1994.
///   LogGP       o + L + (m-1) G + o; the next message of the same sender begins g + (m-1) G later, or o if that is
///   more;
///               above S bytes a rendezvous: it begins when the receive is posted. Source: Alexandrov 1995; Ino 2001.
///   piecewise   a line of each kind for each range of sizes, with a protocol: what calibrations find. Lines may jump
///   at
///               the ends of ranges, as libraries change what they do there. Source: Kielmann 2000 (o and g as
///               functions of the size); Mora's rule calibrated-ranges.
///
/// Limits: a pair of ranks costs the same whatever others do between them; what they share with others is SharedCosts
/// (model.h). Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/costs/network.h"

namespace mora::predict {

/// Lines that hold at one size, ns.
struct MessageLines {
  double send_overhead_ns = 0, send_overhead_ns_per_byte = 0;
  double receive_overhead_ns = 0, receive_overhead_ns_per_byte = 0;
  double latency_ns = 0, ns_per_byte = 0;
  double gap_ns = 0, gap_ns_per_byte = 0;  ///< between two messages of one sender
  bool rendezvous = false;
  double relative_error = 0;  ///< of the whole, as the file states it
  double fixed_ns() const { return send_overhead_ns + latency_ns + receive_overhead_ns; }
  double per_byte_ns() const { return send_overhead_ns_per_byte + ns_per_byte + receive_overhead_ns_per_byte; }
};

class MessageModel {
 public:
  virtual ~MessageModel() = default;
  virtual MessageLines at(std::uint64_t bytes) const = 0;
  /// Some size has a relative error.
  virtual bool states_errors() const = 0;
  /// Beyond it nothing was measured; UINT64_MAX: the model does not say.
  virtual std::uint64_t measured_up_to() const { return UINT64_MAX; }
};

/// One line for all sizes, no overheads. ns, ns per byte.
class HockneyModel final : public MessageModel {
 public:
  HockneyModel(double latency_ns, double ns_per_byte, double relative_error = 0);
  MessageLines at(std::uint64_t) const override { return lines_; }
  bool states_errors() const override { return lines_.relative_error > 0; }

 private:
  MessageLines lines_;
};

struct LogGpParameters {
  double latency_ns = 0, overhead_ns = 0, gap_ns = 0, gap_ns_per_byte = 0;  ///< L, o, g, G
  std::uint64_t eager_up_to_bytes = UINT64_MAX;                             ///< S
  double relative_error = 0;
};

/// LogGpParameters by the formula above.
class LogGpModel final : public MessageModel {
 public:
  explicit LogGpModel(const LogGpParameters& p) : p_(p) {}
  MessageLines at(std::uint64_t bytes) const override;
  bool states_errors() const override { return p_.relative_error > 0; }

 private:
  LogGpParameters p_;
};

/// Lines that hold for messages of at most `up_to_bytes` and more than the range before.
struct CostRange {
  std::uint64_t up_to_bytes = UINT64_MAX;
  MessageLines lines;
};

/// The range that holds the size.
class PiecewiseModel final : public MessageModel {
 public:
  /// At least one range; ascending, the last has no upper end.
  explicit PiecewiseModel(std::vector<CostRange> ranges, std::uint64_t measured_up_to = UINT64_MAX)
      : ranges_(std::move(ranges)), measured_up_to_(measured_up_to) {}
  MessageLines at(std::uint64_t bytes) const override;
  bool states_errors() const override;
  std::uint64_t measured_up_to() const override { return measured_up_to_; }

 private:
  std::vector<CostRange> ranges_;
  std::uint64_t measured_up_to_;
};

/// Hockney's line through what `model` says of the smallest message and of one of 1 MiB: the baseline that every
/// prediction is compared with.
HockneyModel hockney_of(const MessageModel& model);

/// Factors of the parts of a message's cost; together the parts are all of it.
struct CostScale {
  double latency = 1;
  double bytes = 1;     ///< everything that grows with the size: 1 / bandwidth
  double overhead = 1;  ///< of both processors whatever the size, and the gap between two messages
};

/// The protocol is not scaled. Rounded to the nearest nanosecond; no part above INT64_MAX / 16.
replay::MessageCost message_cost(const MessageModel& model, std::uint64_t bytes, const CostScale& scale = {});

/// `nanoseconds` rounded, at most `most`.
Nanoseconds rounded_ns(double nanoseconds, Nanoseconds most = INT64_MAX / 4);

}  // namespace mora::predict
