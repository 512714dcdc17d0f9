/// The number that marks an interval: in the tag of a message to oneself or the level of MPI_Pcontrol (Mora's rule
/// mark-tags): 0xAA or 0x0A, 16 bits of id, 0xAA for a begin or 0xBB for an end.
#include "trace/intervals/interval_source.h"

namespace mora::trace {

Mark decode_mark(std::int32_t number) {
  const auto bits = static_cast<std::uint32_t>(number);
  const std::uint32_t first = bits >> 24, last = bits & 0xFF;
  if (first != 0xAA && first != 0x0A) return {};
  Mark mark;
  mark.id = bits >> 8 & 0xFFFF;
  mark.kind = last == 0xAA ? MarkKind::begin : last == 0xBB ? MarkKind::end : MarkKind::invalid;
  return mark;
}

}  // namespace mora::trace
