#include "trace/index/index_storage.h"

namespace mora::trace {

void MemoryIndex::publish() {
  columns = {time.size(),     detail.size(), time.data(), enter.data(), forward.data(), ordinal.data(),
             location.data(), code.data(),   type.data(), detail.data()};
  location_begin = begins;
  location_events = events;
  snapshot_at = snapshots;
  snapshot_begin = snapshot_begins;
  snapshot_open = snapshot_events;
  bytes = time.size() * 33 + detail.size() * sizeof(EventDetail) + (events.size() + snapshot_events.size()) * 4;
}

}  // namespace mora::trace
