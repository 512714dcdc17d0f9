/// Reading small Paraver traces in tests, and their events as words.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "support/read_events.h"
#include "trace/readers/paraver/paraver_source.h"

namespace mora::trace::paraver_source_test {

inline std::unique_ptr<Source> read(std::string_view prv, std::string_view pcf = {}, std::string_view row = {},
                                    const EventSpoolOptions& options = {}) {
  auto source = read_paraver(prv, pcf, row, "test.prv", options);
  EXPECT_TRUE(source.has_value()) << (source ? "" : source.error().text());
  return source ? std::move(*source) : nullptr;
}

inline std::uint64_t count_of(Source& source, const std::string& kind) {
  std::uint64_t count = 0;
  for (const QualityRow& row : source.quality().rows()) count += row.kind == kind ? row.count : 0;
  return count;
}

/// One word per event: "+MPI_Send@400", "send(0>1,#7,2048)@400".
inline std::string text(Source& source, LocationId location) {
  const Definitions& d = source.definitions();
  std::string out;
  for (const Event& e : read_events(source, location)) {
    out += out.empty() ? "" : " ";
    switch (e.kind) {
      case EventKind::enter:
        out += "+" + d.regions[e.region].name;
        break;
      case EventKind::leave:
        out += "-" + d.regions[e.region].name;
        break;
      case EventKind::metric:
        out += d.metrics[e.vector].name + "=" + std::to_string(static_cast<long>(std::bit_cast<double>(e.bytes)));
        break;
      case EventKind::user:
        out += d.user_types[e.vector] + "=" + d.strings[e.request];
        break;
      default:
        out += to_string(e.kind);
        if (e.peer != no_id)
          out += "(" + std::to_string(e.peer) + ",#" + std::to_string(e.tag) + "," + std::to_string(e.bytes) + ")";
        if (e.request != 0) out += "r" + std::to_string(e.request);
        if (e.kind == EventKind::collective_end)
          out += "(" + d.communicators[e.comm].name + "," + (e.root == no_id ? "none" : std::to_string(e.root)) + "," +
                 std::to_string(e.bytes) + "," + std::to_string(e.received) + ")";
    }
    out += "@" + std::to_string(e.time);
  }
  return out;
}

/// Bodies of two tasks with one thread each; times in nanoseconds.
inline std::string two_tasks(const std::string& body) {
  return "#Paraver (1/1/26 at 0:00):0_ns:1(2):1:2(1:1,1:1)\n" + body;
}

}  // namespace mora::trace::paraver_source_test
