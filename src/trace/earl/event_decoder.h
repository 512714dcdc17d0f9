/// EventDecoder: a trace read from front to back, one event at a time (EARL's Earl_SeqTrace; Wolf 1998, appendix C).
///
/// Events come in the order of their numbers, each with its backward link (ViewEvent::link), but without number and
/// enter pointer (0): RandomAdapter finds the enter pointer from states. Records that are no
/// events are passed over by read() and skip() alike. At the end of the trace both leave the position where it is, so
/// they may be called again, and seek() still works. Not thread-safe. A new format would need only this class; every
/// format that Mora reads has it already: SpooledDecoder.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "trace/view/view.h"

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
  /// Where the next record begins.
  virtual Mark position() const = 0;
  /// Moves to a position that position() returned. False, without moving, if position() cannot have returned it.
  virtual bool seek(Mark position) = 0;
};

}  // namespace mora::trace::earl
