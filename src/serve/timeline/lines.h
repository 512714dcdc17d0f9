/// Which events begin and end what the timeline draws as lines: messages, and the three kinds of one-sided transfers.
#pragma once

#include "trace/index/event_store.h"

namespace mora::serve {

inline bool starts_line(trace::EarlType type) {
  using trace::EarlType;
  return type == EarlType::send || type == EarlType::put_1ts || type == EarlType::get_1ts ||
         type == EarlType::atomic_1ts;
}
inline bool ends_line(trace::EarlType type) { return type == trace::EarlType::recv || trace::is_transfer_end(type); }

}  // namespace mora::serve
