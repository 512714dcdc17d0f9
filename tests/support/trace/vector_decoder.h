/// A decoder of events that a function makes, for tests of any size. Tests only.
#pragma once

#include <functional>
#include <utility>

#include "trace/earl/event_decoder.h"

namespace mora::trace::earl {

class VectorDecoder : public EventDecoder {
 public:
  /// `event(i)`: bare event number i, 1 <= i <= count.
  VectorDecoder(const Definitions& definitions, Position count, std::function<ViewEvent(Position)> event)
      : definitions_(definitions), count_(count), event_(std::move(event)) {}

  const Definitions& definitions() const override { return definitions_; }
  Result<std::optional<ViewEvent>> read() override {
    if (last_ == count_) return std::nullopt;
    if (++last_ == fails_at) {
      fails_at = 0;
      return fail(ErrorKind::system, "cannot read");
    }
    return event_(last_);
  }
  Result<bool> skip() override { return last_ == count_ ? false : (++last_, true); }
  Mark position() const override { return last_; }
  bool seek(Mark position) override {
    if (position > count_) return false;
    last_ = position;
    return true;
  }

  Position fails_at = 0;  ///< this record cannot be read, once

 private:
  const Definitions& definitions_;
  const Position count_;
  const std::function<ViewEvent(Position)> event_;
  Position last_ = 0;
};

}  // namespace mora::trace::earl
