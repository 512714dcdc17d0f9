/// What an export draws as an arrow from one process to another: messages and one-sided transfers.
///
/// How a transfer is drawn:
///   model     from its start to its end in the RMA model of the view (Hermanns 2004, 4.4);
///   closed    (Hermanns 2004, 7.2) a Get as two messages, a request of 0 bytes from GET_1TO to GET_1TS and the data
///   from GET_1TS to
///             GET_1TE, with different tags so that either can be filtered;
///   logical   (Hermanns 2004, 7.3) a Get's data as late as MPI allows: from min(exit of the origin's synchronisation −
///   ε,
///             exit of the target's) to the exit of the origin's. The order of transfers is right then; bandwidths have
///             no meaning.
/// ε never exceeds the length of the origin's synchronisation region: a larger one is reduced, and this is counted.
/// Cost: each arrow in constant time, but for `logical`, which first looks up all synchronisations of the view.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "trace/rma/synchronisations.h"
#include "trace/view/view.h"

namespace mora::exports {

using trace::Position;

enum class ShowTransfers : std::uint8_t { model, closed, logical };

/// How arrows are drawn; see the head of this file.
struct ArrowOptions {
  ShowTransfers show = ShowTransfers::model;
  Nanoseconds epsilon = 1;  ///< > 0; logical only
};

enum class ArrowKind : std::uint8_t { message, put, get, request };
/// "message", "put", "get", "get request".
const char* to_string(ArrowKind kind);

/// One message, or one drawn part of a one-sided transfer. Times are nanoseconds of the view.
struct Arrow {
  ArrowKind kind = ArrowKind::message;
  Position start_event = 0, end_event = 0;  ///< the events of the view it stands for
  Nanoseconds start = 0, end = 0;
  trace::LocationId from = 0, to = 0;
  std::uint64_t bytes = 0;
  std::int32_t tag = 0;  ///< messages: theirs; transfers: 1 put, 2 get, 3 request
  trace::CommId comm = trace::no_id;
  trace::WindowId window = trace::no_id;
  bool reduced = false;  ///< logical: ε was larger than the synchronisation region
};

/// Immutable; thread-safe. Memory: of `logical` that of Synchronisations, else nothing.
class Arrows {
 public:
  Arrows(const trace::View& view, const ArrowOptions& options);

  /// The arrow that starts at the event: SEND, PUT_1TS, GET_1TS; closed: also GET_1TO. None if it never ends.
  std::optional<Arrow> starting_at(Position event) const;
  /// The arrow that ends at the event: RECV, PUT_1TE, GET_1TE; closed: also GET_1TS.
  std::optional<Arrow> ending_at(Position event) const;
  /// Do arrows stand at times other than their events'?
  bool moved() const { return options_.show == ShowTransfers::logical; }
  const ArrowOptions& options() const { return options_; }

 private:
  void make_logical(Arrow& arrow) const;

  const trace::View& view_;
  ArrowOptions options_;
  std::unique_ptr<trace::Synchronisations> synchronisations_;
};

/// Data-quality rows of an export: arrows that have an end outside what is shown, Gets drawn shorter than ε.
void count_arrows(std::uint64_t outside, std::uint64_t reduced, DataQuality& quality);

}  // namespace mora::exports
