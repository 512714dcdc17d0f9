/// EventDecoder: a trace read from front to back, one event at a time (EARL's Earl_SeqTrace, R-FMT-1).
///
/// Events come in the order of their numbers, but bare: no number, no pointer (ViewEvent::enter, link and forward are
/// 0). RandomAdapter gives them both out of states. Records that are no events are passed over by read() and skip()
/// alike (T-13). At the end of the trace both leave the position alone (T-14): they may be called again, and seek()
/// still works. Not thread-safe. A new format needs only this class; every reader of Mora has it already:
/// SpooledDecoder.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "trace/view.h"

namespace mora::trace::earl {

class EventDecoder {
 public:
  using Mark = std::uint64_t;  ///< a position in the file: opaque, valid as long as the decoder

  virtual ~EventDecoder() = default;
  virtual const Definitions& definitions() const = 0;

  /// The next event; nothing at the end. Error: the file cannot be read; the position is then undefined until seek().
  virtual Result<std::optional<ViewEvent>> read() = 0;
  /// Like read() without making an event: false at the end.
  virtual Result<bool> skip() = 0;
  virtual Mark position() const = 0;
  /// Back, or forward, to what position() gave. False, and no move, if it never can have given that.
  virtual bool seek(Mark position) = 0;
};

}  // namespace mora::trace::earl
