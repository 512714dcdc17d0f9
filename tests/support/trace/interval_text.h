/// Streams with intervals as text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/read_events.h"
#include "trace/intervals/interval_source.h"
#include "trace/memory_source.h"
#include "trace/readers/text/text_source.h"

namespace mora::trace::testing {

inline std::unique_ptr<MemorySource> read(const std::string& body) {
  auto source = read_trace_text("mora-trace 1\n" + body);
  if (!source) ADD_FAILURE() << source.error().text();
  return source ? std::move(*source) : std::make_unique<MemorySource>();
}

/// "0 enter main; 5 [solve.1; 9 ]solve.1; 9 leave main;": intervals are [REGION.ID … ]REGION.ID.
inline std::string text(const Source& source, const std::vector<Event>& events) {
  std::string all;
  for (const Event& e : events) {
    all += std::to_string(e.time) + ' ';
    const bool is_region = e.kind == EventKind::enter || e.kind == EventKind::leave;
    const std::string name = is_region && e.region != no_id ? source.definitions().regions[e.region].name : "";
    if (!is_region)
      all += to_string(e.kind);
    else if (e.interval != 0)
      all += (e.kind == EventKind::enter ? '[' : ']') + name + '.' + std::to_string((e.interval & ~found_phase) - 1);
    else
      all += std::string(to_string(e.kind)) + ' ' + name;
    all += "; ";
  }
  return all;
}

/// Kinds of rows about intervals, with places and counts: "interval-crossing@rank 0 x2; ".
inline std::string damage(Source& source) {
  std::string all;
  for (const QualityRow& row : source.quality().rows())
    if (row.kind.starts_with("interval-")) all += row.kind + '@' + row.where + " x" + std::to_string(row.count) + "; ";
  return all;
}

struct Decorated {
  std::unique_ptr<MemorySource> raw;
  std::unique_ptr<Source> source;

  explicit Decorated(const std::string& body, const IntervalOptions& options = {}) : raw(read(body)) {
    auto made = with_intervals(*raw, options);
    if (made) source = std::move(*made);
  }
  std::string operator[](LocationId location) {
    EventCollector collect;
    EXPECT_TRUE(source->read_location(location, collect));
    return text(*source, collect.events);
  }
};

}  // namespace mora::trace::testing
